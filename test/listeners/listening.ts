import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** TCP ports on which a process listens, ascending, according to the kernel (Linux). Includes sockets inherited by children. */
export function listeningPorts(pid: number): readonly number[] {
  const own = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []
      } catch {
        return [] // closed meanwhile
      }
    }),
  )
  const ports = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .flatMap((line) => {
        const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
        return state === LISTEN && own.has(inode) ? [Number.parseInt(local.split(':')[1] ?? '', 16)] : []
      }),
  )
  return [...new Set(ports)].toSorted((a, b) => a - b)
}

const LISTEN = '0A'
