/** What the worker said last. */
export interface ExportProgress {
  readonly done: number | undefined
  readonly message: string | undefined
}

/** Reads the progress of a frame; undefined for another one. Pure. */
export function readExportProgress(data: string): ExportProgress | undefined {
  try {
    const frame = JSON.parse(data) as { readonly kind?: unknown; readonly data?: Record<string, unknown> } | null
    if (frame?.kind !== 'run.progress') return undefined
    const { done, message } = frame.data ?? {}
    return {
      done: typeof done === 'number' ? done : undefined,
      message: typeof message === 'string' ? message : undefined,
    }
  } catch {
    return undefined
  }
}
