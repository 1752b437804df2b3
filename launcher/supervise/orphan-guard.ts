import { spawn } from 'node:child_process'

/** Watches over a process group. */
export interface OrphanGuard {
  /** Kills what is left of the group, and the guard with it. */
  endGroup(): void
}

// No `--` before the group: dash's builtin takes it for a number. The pipe closes when its writer ends, whichever way: then the whole group goes. `read` is a builtin: one small process.
const script = 'trap "" INT TERM HUP; read -r _; kill -KILL "-$0" 2>/dev/null'

/**
 * Kills the agent's group when this process dies, kill -9 included (P4). In a pod the end of the container does the
 * same; on a plain machine nothing else would. Without /bin/sh there is no such machine to protect.
 */
export function guardGroup(groupId: number): OrphanGuard {
  const child = spawn('/bin/sh', ['-c', script, String(groupId)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    detached: true,
  })
  child.on('error', () => undefined)
  child.stdin?.on('error', () => undefined)
  child.unref()
  return { endGroup: () => void child.stdin?.end() }
}
