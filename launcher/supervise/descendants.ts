import { readdirSync, readFileSync } from 'node:fs'

/** Snapshot of the agent's descendants. */
export interface Descendants {
  /** Kills those that still run; a reused process id is skipped. */
  kill(): void
}

/**
 * Lists the descendants of a process in all groups and sessions. After the process has ended, descendants that left its group are
 * reparented and cannot be found. Without /proc the list is empty, and only the group is killed.
 */
export function listDescendants(root: number): Descendants {
  const found = new Map<number, string>()
  for (let level = childrenOf(root); level.length > 0; level = level.flatMap(childrenOf))
    for (const pid of level) found.set(pid, startOf(pid))
  return {
    kill() {
      for (const [pid, start] of found) {
        if (start === '' || startOf(pid) !== start) continue
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // The process has ended meanwhile.
        }
      }
    },
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
  } catch {
    return []
  }
}

// Start time: field 22 of stat in proc(5). The name before it is in parentheses and may contain spaces.
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
