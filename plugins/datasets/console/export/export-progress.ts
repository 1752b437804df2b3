import { useEffect, useState } from 'react'
import { readExportProgress } from './export-frame.ts'
import type { ExportProgress } from './export-frame.ts'

/** Follows the progress of an export while it runs; `onEnd` is called when it has ended. */
export function useExportProgress(id: string, isOpen: boolean, onEnd: () => void): ExportProgress | undefined {
  const [progress, setProgress] = useState<ExportProgress>()
  useEffect(() => {
    if (!isOpen) return
    const gone = new AbortController()
    const follow = async (): Promise<void> => {
      const { followEvents } = await import('#ui/api/event-stream.ts')
      await followEvents({
        path: ['runs', id, 'events'],
        signal: gone.signal,
        onEvent: ({ data }) => {
          const read = readExportProgress(data)
          if (read !== undefined && !gone.signal.aborted) setProgress(read)
        },
        isLast: ({ event }) => event === 'stream.end',
      })
    }
    follow()
      .catch(() => undefined)
      .finally(() => {
        if (!gone.signal.aborted) onEnd()
      })
    return () => gone.abort()
    // `onEnd` is a new function in each render; it does the same.
  }, [id, isOpen])
  return progress
}
