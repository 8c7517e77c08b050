// The syntax of PTX files, as NVCC, Triton, LLVM and Reckon write them. What an opcode, its modifiers and its operands may
// be is not stated here: ptx/read/ checks names and forms, ptx/emulate/ the operands of each instruction.
// Source: PTX ISA 9.0, chapters 4 (syntax), 5 (state spaces and types), 11 (directives).
//
// Every decision needs one token of look-ahead, so that the parser predicts nothing: a label with its colon, and an opcode
// with all of its modifiers, are tokens.
grammar Ptx;

module : item* EOF ;

item
  : VERSION NUMBER                                                    # version
  | TARGET NAME (',' NAME)*                                           # target
  | ADDRESS_SIZE NUMBER                                               # addressSize
  | LINKAGE* (function | variable ';')                                # definition
  | location                                                          # place
  | SECTION (DIRECTIVE | NAME) '{' sectionToken* '}'                  # section
  | ALIAS NAME ',' NAME ';'                                           # alias
  | PRAGMA STRING ';'                                                 # pragma
  ;

function : ENTRY NAME parameters? attribute* (body | ';')
         | FUNC ('(' parameter (',' parameter)* ')')? NAME parameters? attribute* (body | ';') ;
parameters : '(' (parameter (',' parameter)*)? ')' ;
parameter : SPACE_NAME modifier* NAME extent* | REG DIRECTIVE NAME ;
attribute : DIRECTIVE (NUMBER (',' NUMBER)*)? | PRAGMA STRING ';'? ;

variable : SPACE_NAME modifier* declared (',' declared)* ;
// A type, `.align 4`, `.ptr .global`, `.v4`, `.attribute(.managed)`.
modifier : DIRECTIVE ('(' sectionToken* ')')? | ALIGN NUMBER | SPACE_NAME ;
declared : NAME extent* ('=' initial)? ;
extent : '[' NUMBER? ']' ;
initial : '{' (initial (',' initial)*)? '}' | '-'? NUMBER | NAME ('(' NAME ')')? (('+' | '-') NUMBER)? ;

body : '{' statement* '}' ;
statement
  : instruction
  | LABEL
  | body
  | REG modifier* registers (',' registers)* ';'
  | variable ';'
  | location
  | PRAGMA STRING ';'
  | TARGETS NAME (',' NAME)* ';'
  | PROTOTYPE prototypeToken* ';'
  | ';'
  ;
registers : NAME ('<' NUMBER '>')? ;
// `.loc 1 20 5, function_name $L__info_string0, inlined_at 1 7 3`
location : LOC NUMBER NUMBER NUMBER (',' NAME NAME (('+' | '-') NUMBER)? ',' NAME NUMBER NUMBER NUMBER)?
         | FILE NUMBER STRING (',' NUMBER ',' NUMBER)? ;

instruction : ('@' '!'? NAME)? opcode=(NAME | OPCODE) (operand (',' operand)*)? ';' ;
operand
  : simple ('|' simple)?
  | '{' operand (',' operand)* '}'
  | '(' (operand (',' operand)*)? ')'
  | '[' operand (',' operand)* ']'
  ;
// A register, a number, the address of a variable, a name with an offset.
simple : '!' NAME | '-'? NUMBER | (NAME | OPCODE) (('+' | '-') '-'? NUMBER)* ;

sectionToken : ~('{' | '}' | '(' | ')') ;
prototypeToken : ~(';' | '{' | '}') ;

VERSION : '.version' ;
TARGET : '.target' ;
ADDRESS_SIZE : '.address_size' ;
SECTION : '.section' ;
ALIAS : '.alias' ;
PRAGMA : '.pragma' ;
ENTRY : '.entry' ;
FUNC : '.func' ;
LINKAGE : '.visible' | '.extern' | '.weak' | '.common' ;
SPACE_NAME : '.global' | '.const' | '.shared' | '.local' | '.param' ;
ALIGN : '.align' ;
REG : '.reg' ;
LOC : '.loc' ;
FILE : '.file' ;
TARGETS : '.branchtargets' ;
PROTOTYPE : '.callprototype' ;
DIRECTIVE : '.' WORD+ ('::' WORD+)* ;

// Integers (`12`, `0x1F`, `0b11`, `7U`), floats by their bits (`0f3F800000`, `0d...`), decimal fractions.
NUMBER : DIGIT (DIGIT | [a-fA-FxXU])* ('.' DIGIT+)? ([eE] [+-] DIGIT+)? ;
LABEL : NAME_BEGIN WORD* [ \t]* ':' ;
NAME : NAME_BEGIN WORD* ;
// `ld.global.nc.v4.f32`, `mbarrier.arrive.expect_tx.shared::cta.b64`, and the special registers `%tid.x`.
OPCODE : NAME_BEGIN WORD* (('.' | '::') WORD+)+ ;
STRING : '"' ~["\r\n]* '"' ;

LINE_COMMENT : '//' ~[\r\n]* -> skip ;
COMMENT : '/*' .*? '*/' -> skip ;
BLANK : [ \t\r\n\f]+ -> skip ;
OTHER : . ;

fragment DIGIT : [0-9] ;
fragment WORD : [A-Za-z0-9_$] ;
fragment NAME_BEGIN : [A-Za-z_$%] ;
