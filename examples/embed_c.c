/* Reckon inside a C program: load a circuit, call it interpreted, run it compiled for this machine, read a message. */
#include <reckon/c.h>
#include <stdio.h>

static int fail(const char *text) {
  fputs(text, stderr);
  return 1;
}

int main(void) {
  const float x[3] = {1, 2, 3}, y[3] = {4, 5, 6};
  const int64_t shape[1] = {3};
  const reckon_tensor arguments[2] = {{"f32", 1, shape, x}, {"f32", 1, shape, y}};
  reckon_session *session = NULL;
  reckon_values *values = NULL;
  if (reckon_session_new(NULL, &session) != RECKON_OK) return fail("no session\n");
  if (reckon_load(session, "fn dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by tree", "dot.rk") != RECKON_OK ||
      reckon_call(session, "dot", arguments, 2, NULL, &values) != RECKON_OK)
    return fail(reckon_message_text(session));
  printf("%s\n", reckon_value_form(values, 0, 0, "value"));
  reckon_values_free(values);

  /* Compiled once for n = 3, run any number of times. */
  const char *sizes[] = {"n=3", NULL};
  reckon_prepare_options options = {sizeof options, RECKON_ON_HOST, NULL, sizes, NULL, 0, NULL, 0};
  reckon_program *program = NULL;
  if (reckon_prepare(session, "dot", &options, &program) != RECKON_OK) return fail(reckon_message_text(session));
  float result = 0;
  const void *from[2] = {x, y};
  void *to[1] = {&result};
  if (reckon_program_run(program, from, to, NULL) != RECKON_OK) return fail(reckon_program_message_text(program));
  printf("%g\n", result);
  reckon_program_free(program);

  if (reckon_load(session, "fn double(x: f32) -> f32 = x + z", "double.rk") == RECKON_OK) return 1;
  printf("%s", reckon_message_text(session));
  reckon_session_free(session);
  return 0;
}
