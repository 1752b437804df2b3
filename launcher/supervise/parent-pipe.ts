import { Socket } from 'node:net'

/**
 * Calls `onLost` once, when the other end of an inherited pipe closes: its holder is gone, kill -9 included. A descriptor
 * that is no open pipe is a holder that is gone already.
 */
export function watchParentPipe(fd: number, onLost: () => void): void {
  try {
    const pipe = new Socket({ fd, readable: true, writable: false })
    pipe.on('error', () => undefined)
    pipe.once('close', onLost)
    pipe.resume()
    pipe.unref()
  } catch {
    onLost()
  }
}
