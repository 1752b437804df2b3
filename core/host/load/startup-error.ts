/** An error at startup; the message names the plugin. */
export class BootError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'BootError'
  }
}

/** Runs a step of a plugin. Its error names the plugin and the step. */
export async function asPlugin<T>(plugin: string, step: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof BootError) throw error
    throw new BootError(
      `plugin ${plugin}: ${step} failed: ${error instanceof Error ? error.message : String(error)}`,
      error,
    )
  }
}
