// The surface of Reckon; nothing else parses the language. The meaning of each part is docs/language.md.
//
// Children are named and alternatives labelled, since frontend/parse walks the contexts by hand.
// Tokens are matched on bytes, not on code points: positions are byte offsets, and what is not ASCII may
// stand in comments and strings only.
grammar Reckon;

// ---------------------------------------------------------------------------------------------- entry points

// The parser calls `item` for each item in turn (frontend/parse/parse.cpp), so that a mistake stays within
// its item; this rule says what may follow one.
program : (items+=item ';'*)* EOF ;

item
  : 'import' path=STRING                                                                    # importItem
  | builtin='builtin'? 'fn' function=name ('[' statics=nameList ']')? '(' (parameters+=parameter (',' parameters+=parameter)* ','?)? ')'
      ('->' result=type)? ('approximates' approximated=name)? ('=' body=expression | bodyBlock=block)  # fnItem
  | 'let' (target=name (':' declared=type | open='(' parameterNames=nameList? ')')? | '(' targets=nameList ')')
      '=' value=expression                                                                  # letItem
  | 'type' target=name ('[' statics=nameList ']')? '=' '(' parts+=part (',' parts+=part)* ','? ')'  # typeItem
  | 'profile' target=name ('=' base=name 'with')?
      '{' entryEnd* (entries+=profileEntry (entryEnd+ entries+=profileEntry)* entryEnd*)? '}'  # profileItem
  | 'kernel' target=name ('[' statics=nameList ']')? '=' circuit=postfix
      ('with' clauses+=kernelClause (',' clauses+=kernelClause)*)?                          # kernelItem
  | 'check' claim=expression (tilde='~' other=expression)? options+=option*                 # checkItem
  | 'show' value=expression options+=option*                                                # showItem
  | 'save' path=STRING '=' value=expression options+=option*                                # saveItem
  | 'assert' claim=expression (',' reason=STRING)?                                          # assertItem
  | 'for' ranges+=staticRange (',' ranges+=staticRange)* ':' repeated=item                  # repeatedItem
  ;

// The values of a static name, one after another: `k in {64, 128}`, `k in 1..4`, `S in orders`.
staticRange
  : target=name 'in' ('{' values+=expression (',' values+=expression)* ','? '}' | low=arithmetic ('..' high=arithmetic)?) ;

// ------------------------------------------------------------------------------------- accuracy profiles

// An entry ends visibly: were another one to follow an expression directly, `length n:` and `max i:` could not be told
// from the end of one rule and the head of the next before the end of the text.
entryEnd : LINE_END | ';' ;

profileEntry
  : 'formats' formats=nameList                                                              # formatsEntry
  | 'flush' parts+=flushPart (',' parts+=flushPart)*                                        # flushEntry
  | setting=('overflow' | 'evaluate' | 'contract' | 'reassociate') how=name                                              # settingEntry
  | operations+=ruledOperation (',' operations+=ruledOperation)* ('in' formats=nameList)?
      (sign=':' pieces+=piece ('else' pieces+=piece)* | sign='=' pieces+=piece)             # ruleEntry
  ;

flushPart : what=name how=name? ;

ruledOperation
  : (plain=name | qualified=QUALIFIED_NAME | extremum=('min' | 'max')) (open='(' parameters=nameList? ')')? ;

piece : accuracy=expression ('for' domains+=domain (',' domains+=domain)*)? ;

domain
  : (function=name '(' target=name ')' | target=name) ':' ranges+=domainRange ('or' ranges+=domainRange)*  # rangeDomain
  | lhs=arithmetic op=('<' | '<=' | '>' | '>=') rhs=arithmetic                              # halfDomain
  ;

domainRange : low=arithmetic '..' high=arithmetic ;

// `tile(128, 128, 16)`, `threads((8, 16):(16, 1))`: what a kernel states.
kernelClause : what=name '(' arguments+=expression (',' arguments+=expression)* ','? ')' ;

loneExpression : value=expression ('in' meaning=semantics)? ';'* EOF ;

// At the prompt, `x = 1` means `let x = 1`.
assignment : target=name (':' declared=type | open='(' parameterNames=nameList? ')')? '=' value=expression ';'* EOF ;

part : target=name ':' partType=type ;

// `label: u32[b] < c` and `label: u32[b] in 0..c - 1` state the range of integers.
parameter
  : target=name ':' parameterType=type (below='<' limit_=arithmetic | within='in' low=arithmetic '..' high=arithmetic)? ;

nameList : names+=name (',' names+=name)* ','? ;

// After `@`, how a parameter or a result is stored.
type
  : typeName=name ('[' dims+=expression (',' dims+=expression)* ','? ']')? ('@' storage=layout)?  # namedType
  | '(' (parts+=type (',' parts+=type)* ','?)? ')' ('@' storage=layout)?                    # tupleType
  ;

// ---------------------------------------------------------------------------------- what an item adds to a value

option
  : 'in' meaning=semantics everywhere='everywhere'?                                         # inOption
  | 'within' budget=DURATION                                                                # budgetOption
  | 'within' allowed=tolerance                                                              # withinOption
  | 'for' clauses+=clause (',' clauses+=clause)*                                            # forOption
  | 'trials' amount=arithmetic                                                              # trialsOption
  | 'seed' amount=arithmetic                                                                # seedOption
  ;

semantics : semanticsName=name ('(' arguments+=expression (',' arguments+=expression)* ','? ')')? ;

tolerance
  : 'bound' (by='by' order=schedule)?                                                       # boundTolerance
  | 'orders' (by='by' order=schedule)?                                                      # ordersTolerance
  | 'relative' amount=arithmetic                                                            # relativeTolerance
  | amount=range unit='ulp'?                                                                # amountTolerance
  ;

// A name with a colon is always a size or a range: a layout in a condition stands in parentheses.
// `all n, k` is a clause for each name: where a name alone follows such a clause, it is one, too.
clause
  : 'all' target=name                                                                       # allClause
  | {_input->LA(2) == COLON}? target=name ':' values=clauseValues                           # valuesClause
  | {_input->LA(2) != COLON}? condition=expression                                          # conditionClause
  ;

clauseValues
  : '{' values+=expression (',' values+=expression)* ','? '}'                               # setValues
  | {_input->LA(1) != LEFT_BRACE}? value=range                                              # rangeValues
  ;

// ---------------------------------------------------------------------------------------------------- expressions
// From loose to tight: then, or, and, not, comparison, `..`, layout colon, then the rules of `arithmetic`.

expression
  : operand=comparison                                                                      # plainExpression
  | op='not' operand=expression                                                             # notExpression
  | lhs=expression op='and' rhs=expression                                                  # andExpression
  | lhs=expression op='or' rhs=expression                                                   # orExpression
  | lhs=expression op='then' rhs=expression                                                 # thenExpression
  ;

// Comparisons do not chain. That is said after parsing: were a second one none of the grammar's, the parser would look
// ahead to it from an operator before, and call that one the mistake.
comparison : lhs=range (op=comparator rhs=range (chained+=comparator range)*)? ;

comparator : '<' | '<=' | '>' | '>=' | '==' | '!=' | '===' ;

range : low=layout (op='..' high=layout)? ;

layout : shape=arithmetic (op=':' stride=arithmetic)? ;

arithmetic
  : operand=postfix                                                                         # postfixArithmetic
  | operand=binder                                                                          # binderArithmetic
  | op='-' operand=arithmetic                                                               # negation
  | lhs=arithmetic op=('*' | '/' | '//' | '%') rhs=arithmetic                               # product
  | lhs=arithmetic op=('+' | '-') rhs=arithmetic                                            # sum
  | lhs=arithmetic op=('<<' | '>>') rhs=arithmetic                                          # shift
  | lhs=arithmetic op='&' rhs=arithmetic                                                    # bitAnd
  | lhs=arithmetic op='xor' rhs=arithmetic                                                  # bitXor
  | lhs=arithmetic op='|' rhs=arithmetic                                                    # bitOr
  ;

// The body of a binder reaches as far right as it can. No operator may follow a schedule, which is checked
// after parsing, where a better sentence can be given. One alternative for all binders with a body and an
// order, so that one token tells to whom a `by` belongs.
binder
  : (head=('for' | 'sum' | 'prod' | 'min' | 'max') | head='reduce' '(' operation=expression ')'
      | head=('scan' | 'fold') '(' operation=expression (',' start=expression)? ')')
      ranges=indices (where='where' condition=guard)? ':' body=expression (by='by' order=schedule)? ('else' otherwise=expression)?  # indexBinder
  | head='length' target=name ':' body=expression                                           # lengthBinder
  ;

indices : bounds+=index (',' bounds+=index)* ;

index : target=name ('<' bound=limit)? ;

// A bound is arithmetic that ends in no binder, so that the colon after it is the binder's own.
limit
  : operand=postfix                                                                         # postfixLimit
  | op='-' operand=limit                                                                    # negatedLimit
  | lhs=limit op=('*' | '/' | '//' | '%') rhs=limit                                         # productLimit
  | lhs=limit op=('+' | '-') rhs=limit                                                      # sumLimit
  ;

// The condition of a reduction's leaves ends in no binder and has no layout outside of parentheses, so that the colon after
// it is the binder's own.
guard
  : operand=guardComparison                                                                 # plainGuard
  | op='not' operand=guard                                                                  # notGuard
  | lhs=guard op='and' rhs=guard                                                            # andGuard
  | lhs=guard op='or' rhs=guard                                                             # orGuard
  ;

guardComparison : lhs=limit (op=comparator rhs=limit)? ;

postfix : head=primary suffixes+=suffix* pinned=pin? ;

suffix
  : open='(' (arguments+=expression (',' arguments+=expression)* (',' limited='at_most' limit_=expression)? ','?)? close=')'  # callSuffix
  | open='[' arguments+=expression (',' arguments+=expression)* ','? close=']'              # indexSuffix
  | DOT member=name                                                                         # memberSuffix
  ;

primary
  : value=NUMBER                                                                            # number
  | value=BIT_PATTERN                                                                       # bitPattern
  | value=STRING                                                                            # string
  | value=('true' | 'false')                                                                # boolean
  | value=name                                                                              # variable
  | value=QUALIFIED_NAME                                                                    # qualifiedName
  | value=('min' | 'max')                                                                   # extremum
  // Parentheses, tuples, shapes and layouts are one alternative: several that begin alike would be quadratic.
  | '(' (elements+=expression (commas+=',' elements+=expression)* commas+=','?)? ')'        # parenthesised
  | '[' (elements+=expression (',' elements+=expression)* ','?)? ']'                        # listing
  | tree=quotedTree                                                                         # quoted
  | body=block                                                                              # blockPrimary
  | ifs+='if' conditions+=expression branches+=block
      ('else' ifs+='if' conditions+=expression branches+=block)* 'else' otherwise=block     # conditional
  ;

block : '{' bindings+=binding* result=expression '}' ;

binding
  : 'let' (target=name (':' declared=type)? | '(' targets=nameList ')') '=' value=expression ';'  # letBinding
  | 'assert' claim=expression (',' reason=STRING)? ';'                                      # assertBinding
  ;

// ------------------------------------------------------------------------------------------------------ schedules
// What follows `by`: never an operator.

schedule : stages+=stage (ops+='then' stages+=stage)* ;

stage
  : head=name suffixes+=scheduleCall* pinned=pin?                                           # namedStage
  | open='(' inner=expression ')' pinned=pin?                                               # groupedStage
  | tree=quotedTree                                                                         # quotedStage
  ;

// The level of the machine that carries out a stage.
pin : at='@' level=name ;

scheduleCall
  : open='(' (arguments+=expression (',' arguments+=expression)* ','?)? close=')' ;

quotedTree : quote='\'' root=tree_ ;

tree_
  : leaf=NUMBER                                                                             # leafTree
  | '(' parts+=tree_+ ')'                                                                   # pairTree
  ;

// ---------------------------------------------------------------------------------------------------------- names

// Words that mean something in one place only remain names everywhere else.
name : token=(IDENTIFIER | 'length' | 'ulp' | 'relative' | 'bound' | 'orders' | 'trials' | 'seed' | 'formats' | 'flush'
    | 'overflow' | 'evaluate' | 'contract' | 'reassociate' | 'with' | 'kernel' | 'everywhere' | 'where' | 'fold'
    | 'at_most' | 'type' | 'by' | 'then' | 'approximates' | 'all') ;

// --------------------------------------------------------------------------------------------------------- tokens

IMPORT : 'import' ;
BUILTIN : 'builtin' ;
FN : 'fn' ;
LET : 'let' ;
PROFILE : 'profile' ;
CHECK : 'check' ;
SHOW : 'show' ;
ASSERT : 'assert' ;
SAVE : 'save' ;

IN : 'in' ;
WITHIN : 'within' ;
FOR : 'for' ;
BY : 'by' ;
THEN : 'then' ;
IF : 'if' ;
ELSE : 'else' ;
SUM : 'sum' ;
PROD : 'prod' ;
MIN : 'min' ;
MAX : 'max' ;
REDUCE : 'reduce' ;
SCAN : 'scan' ;
AND : 'and' ;
OR : 'or' ;
NOT : 'not' ;
XOR : 'xor' ;
TRUE : 'true' ;
FALSE : 'false' ;

LENGTH : 'length' ;
ULP : 'ulp' ;
RELATIVE : 'relative' ;
BOUND : 'bound' ;
ORDERS : 'orders' ;
TRIALS : 'trials' ;
FORMATS : 'formats' ;
FLUSH : 'flush' ;
OVERFLOW : 'overflow' ;
EVALUATE : 'evaluate' ;
CONTRACT : 'contract' ;
REASSOCIATE : 'reassociate' ;
WITH : 'with' ;
WHERE : 'where' ;
FOLD : 'fold' ;
AT_MOST : 'at_most' ;
APPROXIMATES : 'approximates' ;
ALL : 'all' ;
KERNEL : 'kernel' ;
EVERYWHERE : 'everywhere' ;
TYPE : 'type' ;
SEED : 'seed' ;

LEFT_PARENTHESIS : '(' ;
RIGHT_PARENTHESIS : ')' ;
LEFT_BRACKET : '[' ;
RIGHT_BRACKET : ']' ;
LEFT_BRACE : '{' ;
RIGHT_BRACE : '}' ;
COMMA : ',' ;
SEMICOLON : ';' ;
COLON : ':' ;
ARROW : '->' ;
ASSIGN : '=' ;
TILDE : '~' ;
RANGE : '..' ;
QUOTE : '\'' ;
AT : '@' ;
LESS : '<' ;
LESS_EQUAL : '<=' ;
GREATER : '>' ;
GREATER_EQUAL : '>=' ;
EQUAL : '==' ;
NOT_EQUAL : '!=' ;
IDENTICAL : '===' ;
PLUS : '+' ;
MINUS : '-' ;
TIMES : '*' ;
DIVIDE : '/' ;
FLOOR_DIVIDE : '//' ;
REMAINDER : '%' ;
SHIFT_LEFT : '<<' ;
SHIFT_RIGHT : '>>' ;
BIT_AND : '&' ;
BIT_OR : '|' ;

// `f32#3fc00000`: exactly the format's digits and no further letter or digit; otherwise `#` begins a comment, and
// the longer match below wins. The token scan makes an IDENTIFIER of it. (A predicate would say the same, but the
// runtime's lexer leaks a state each time that it meets one.)
BIT_PATTERN : BITS ;
FORMAT_WITH_COMMENT : BITS [A-Za-z0-9] ~[\r\n]* ;

NUMBER : DIGITS ('.' DIGITS)? ([eE] [+-]? DIGITS)? | '0x' HEX_DIGITS (('.' HEX_DIGITS)? [pP] [+-]? DIGITS)? ;

// `30s`: the seconds that a check may take.
DURATION : DIGITS ('.' DIGITS)? [s] ;

// What begins as a number and does not go on as one. The longest match wins, then the first rule: a NUMBER is
// never one of these.
BAD_NUMBER
  : DIGITS ('.' DIGITS)? [eE] [+-] WORD+
  | DIGITS '.'? WORD+
  | '0x' HEX_DIGITS '.' WORD+ ([+-] WORD+)?
  ;

STRING : '"' CHARACTER* '"' ;
UNTERMINATED_STRING : '"' CHARACTER* ;

IDENTIFIER : [A-Za-z_] WORD* ;

// A name of the language in a group of its own: `approx.exp2`. Programs define none.
QUALIFIED_NAME : 'approx.' [A-Za-z_] WORD* ;

COMMENT : '#' ~[\r\n]* -> channel(HIDDEN) ;
SPACE : [ \t\r\n\f\u000B]+ -> channel(HIDDEN) ;
// The end of a line that ends an entry of a profile: the token scan makes it of white space. No text has this byte.
LINE_END : '\u0000' ;
// The point before the name of a record's part: the token scan makes it of an unexpected character where no habit of
// another language explains it. No text has this byte.
DOT : '\u0001' ;
UNEXPECTED : . -> channel(HIDDEN) ;

fragment BITS
  : ('f64#' | 'i64#' | 'u64#') HEX8 HEX8
  | ('f32#' | 'tf32#' | 'i32#' | 'u32#') HEX8
  | ('f16#' | 'bf16#' | 'i16#' | 'u16#') HEX4
  | ('f8e4m3#' | 'f8e5m2#' | 'f6e3m2#' | 'f6e2m3#' | 'f4e2m1#' | 'i8#' | 'u8#') HEX2
  ;
fragment WORD : [A-Za-z0-9_] ;
fragment DIGITS : [0-9] ('_'? [0-9])* ;
fragment HEX : [0-9a-fA-F] ;
fragment HEX_DIGITS : HEX ('_'? HEX)* ;
fragment HEX2 : HEX HEX ;
fragment HEX4 : HEX2 HEX2 ;
fragment HEX8 : HEX4 HEX4 ;
fragment CHARACTER : ~["\\\r\n] | '\\' ~[\r\n] ;
