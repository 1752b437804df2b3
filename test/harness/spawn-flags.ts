/**
 * Flags of V8 for roles and platforms that tests start. They live for seconds: optimising the WebAssembly of PGlite costs them more processor
 * time than it saves.
 */
export const spawnFlags: readonly string[] = ['--liftoff-only']
