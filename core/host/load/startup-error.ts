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
    throw ofPlugin(plugin, step, error)
  }
}

/** Calls a slot of a plugin. Its error names the plugin and the slot. */
export function callSlot<T>(plugin: string, slot: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw ofPlugin(plugin, slot, error)
  }
}

function ofPlugin(plugin: string, step: string, error: unknown): BootError {
  if (error instanceof BootError) return error
  return new BootError(
    `plugin ${plugin}: ${step} failed: ${error instanceof Error ? error.message : String(error)}`,
    error,
  )
}
