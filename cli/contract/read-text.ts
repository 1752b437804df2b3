import { closeSync, openSync, readSync } from 'node:fs'
import type { CliInput } from './command.ts'
import { CliProblem } from './cli-problem.ts'
import { toSafeText } from './safe-text.ts'

/** A file that is read: its path or `-` for standard input, how messages name it, and how large it may be. */
export interface ReadText {
  readonly path: string
  /** Default: the path. */
  readonly title?: string
  readonly maxBytes: number
}

const PIECE_BYTES = 64 * 1024

const reasons: Readonly<Record<string, readonly [problem: string, hint: string]>> = {
  ENOENT: ['does not exist', 'Check the path.'],
  EISDIR: ['is a folder', 'Name a file in it.'],
  EACCES: ['may not be read by this user', 'Check its mode and its owner.'],
}

/**
 * Reads UTF-8 text from a file or from standard input. Stops at the limit, since a file may be a device. Throws `CliProblem`,
 * which names the file and never its content.
 */
export async function readText(
  { stdin }: Pick<CliInput, 'stdin'>,
  { path, title = path, maxBytes }: ReadText,
): Promise<string> {
  const source = path === '-' ? stdin() : piecesOf(path)
  const shown = path === '-' ? 'standard input' : toSafeText(title)
  const pieces: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const piece of source) {
      pieces.push(Buffer.from(piece))
      bytes += piece.length
      if (bytes > maxBytes)
        throw new CliProblem(`${shown}: must have at most ${maxBytes} bytes`, 'Name a smaller file.')
    }
  } catch (error) {
    if (error instanceof CliProblem) throw error
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    const [problem, hint] = reasons[code] ?? [`cannot be read (${code})`, 'Check the path.']
    throw new CliProblem(`${shown}: ${problem}`, hint)
  }
  return decode(shown, Buffer.concat(pieces))
}

// A stream of Node.js loads modules for 8 ms.
function* piecesOf(path: string): Generator<Uint8Array, void> {
  const file = openSync(path, 'r')
  try {
    for (;;) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES)
      const bytes = readSync(file, piece)
      if (bytes === 0) return
      yield piece.subarray(0, bytes)
    }
  } finally {
    closeSync(file)
  }
}

function decode(shown: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new CliProblem(`${shown}: is not UTF-8 text`, 'Name a text file.')
  }
}
