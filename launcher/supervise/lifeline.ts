import { Socket } from 'node:net'

/** Calls `onLost` when the other end of an inherited pipe closes: its holder is gone, kill -9 included. */
export function watchLifeline(fd: number, onLost: () => void): void {
  const pipe = new Socket({ fd, readable: true, writable: false })
  pipe.on('error', () => undefined)
  pipe.on('close', onLost)
  pipe.resume()
  pipe.unref()
}
