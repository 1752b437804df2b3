const frames = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏']

/** Where progress is shown. */
export interface ProgressTarget {
  readonly err: (text: string) => void
  readonly isTerminal: boolean
  /** Columns of the terminal. */
  readonly width: number | undefined
}

/** Shows one line that the next one replaces; `''` removes it. Without a terminal nothing is written. */
export function createProgress({ err, isTerminal, width = 80 }: ProgressTarget): (text: string) => void {
  let [isShown, frame] = [false, 0]
  return (text) => {
    if (!isTerminal || (text === '' && !isShown)) return
    isShown = text !== ''
    // The last column stays free: a full line would wrap, and its first half could not be removed.
    const line = isShown
      ? [...`${frames[frame++ % frames.length]} ${text}`].slice(0, Math.max(1, width - 1)).join('')
      : ''
    err(`\r\u001b[2K${line}`)
  }
}
