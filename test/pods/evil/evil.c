/* Code that runs in every process of a root file system: as a preloaded library, or as its /bin/sh. It says that it ran. */
#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void ran(void) {
  char line[64];
  int length = snprintf(line, sizeof line, "OWNED as %d\n", (int)getuid());
  if (length > 0 && write(2, line, (size_t)length) < 0) return;
}

int main(void) { return 0; }
