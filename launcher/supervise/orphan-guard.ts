import { spawn } from 'node:child_process'

/** Watches over the agent's process group and whatever the agent has started. */
export interface OrphanGuard {
  /** Names the group to watch over: the process id of its leader. */
  watch(groupId: number): void
  /** Kills what is left of the group, and the guard with it. */
  endGroup(): void
}

// The first line names the group; the end of the pipe, whichever way its writer ends, ends the group. A child of the
// agent may have left the group (setsid), so everything below the agent is stopped, listed and killed too. `read`, `kill`
// and `echo` are builtins: one small process. No `--` before a group: dash's builtin takes it for a number.
const script = `
trap "" INT TERM HUP QUIT USR1 USR2 ALRM PIPE
read -r group || exit 0
below() {
  kill -STOP "$1" || return
  all="$all $1"
  for file in /proc/"$1"/task/*/children; do
    kids=
    [ -r "$file" ] && read -r kids < "$file"
    for kid in $kids; do below "$kid"; done
  done
}
while read -r _; do :; done
all=
below "$group"
kill -KILL "-$group"
for one in $all; do kill -KILL "$one"; done
`

/**
 * Starts a guard that kills the agent when this process dies, kill -9 included (P4). In a pod the end of the container
 * does the same; on a plain machine nothing else would. Without /bin/sh there is no such machine to protect. The guard is
 * started before the agent, so that it holds the pipe's other end before there is anything to protect.
 */
export function startGuard(): OrphanGuard {
  const child = spawn('/bin/sh', ['-c', script], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    // A session of its own: what is sent to the launcher's group must not end the guard before its work.
    detached: true,
  })
  child.on('error', () => undefined)
  child.stdin?.on('error', () => undefined)
  child.unref()
  return {
    watch: (groupId) => void child.stdin?.write(`${groupId}\n`),
    endGroup: () => void child.stdin?.end(),
  }
}
