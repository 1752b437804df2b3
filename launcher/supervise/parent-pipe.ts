import { Socket } from 'node:net'

/**
 * Calls `onLost` once when the other end of an inherited pipe closes, that is, when its holder has exited for any reason. A descriptor that
 * is not an open pipe counts as a lost holder.
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
