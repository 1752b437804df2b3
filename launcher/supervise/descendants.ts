import { readdirSync, readFileSync } from 'node:fs'

/** Processes below the agent, as they were when they were listed. */
export interface Descendants {
  /** Kills those that are still there; a process id that was given anew is spared. */
  kill(): void
}

/**
 * Lists what runs below a process, whatever group or session it is in: once the process has ended, what left its group
 * belongs to nobody and is not found again. Without /proc the list is empty, and the group is all that can be ended.
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
          // It has ended in between.
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

// Field 22 of proc(5)'s stat; the name before it is in brackets and may hold spaces.
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
