import { Socket } from 'node:net'

/**
 * Calls `onClosed` once when the other end of an inherited pipe is closed: the parent process has ended, even by kill -9. A
 * descriptor that is not an open pipe means that the parent has already ended.
 */
export function watchParentPipe(fd: number, onClosed: () => void): void {
  try {
    const pipe = new Socket({ fd, readable: true, writable: false })
    pipe.on('error', () => undefined)
    pipe.once('close', onClosed)
    pipe.resume()
    pipe.unref()
  } catch {
    onClosed()
  }
}
