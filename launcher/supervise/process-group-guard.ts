import { spawn } from 'node:child_process'

/** Watches over the agent's process group and whatever the agent has started. */
export interface ProcessGroupGuard {
  /** Names the group to watch over: the process id of its leader. */
  watch(groupId: number): void
  /** Kills what is left of the agent, and the guard with it. */
  endGroup(): void
  /** Resolves when the guard has ended: nothing of the agent was found any more. */
  readonly ended: Promise<void>
}

// The first line names the group; the end of the pipe, whichever way its writer ends, ends the group. A child of the
// agent may have left the group (setsid), so everything below the agent is stopped, listed and killed too. `read`, `kill`
// and `echo` are builtins: one small process. No `--` before a group: dash's builtin takes it for a number.
// What has left the group and lost its parent is below nobody, and an agent whose launcher died between fork and `watch`
// has no name: both carry the mark, as does everything that they start. Twice none, since a process that is just being
// executed has no environment for a moment. Without grep the group and the tree are all that is ended.
const script = `
trap "" INT TERM HUP QUIT USR1 USR2 ALRM PIPE
group=
read -r group
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
if [ -n "$group" ]; then
  below "$group"
  kill -KILL "-$group"
  for one in $all; do kill -KILL "$one"; done
fi
calm=0
while [ "$calm" -lt 2 ]; do
  calm=$((calm + 1))
  for file in $(grep -lsF -e "$0" /proc/[0-9]*/environ); do
    one=\${file#/proc/}
    kill -KILL "\${one%/environ}" && calm=0
  done
  sleep 0.05
done
`

/**
 * Starts a guard that kills the agent when this process dies, kill -9 included (P4). In a pod the end of the container
 * does the same; on a plain machine nothing else would. Without /bin/sh there is no such machine to protect. The guard is
 * started before the agent, so that it holds the pipe's other end before there is anything to protect. `mark` is text that
 * stands in the agent's environment and in no other.
 */
export function startProcessGroupGuard(mark: string): ProcessGroupGuard {
  const child = spawn('/bin/sh', ['-c', script, mark], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    // A session of its own: what is sent to the launcher's group must not end the guard before its work.
    detached: true,
  })
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('exit', () => resolve())
  })
  child.stdin?.on('error', () => undefined)
  child.unref()
  return {
    watch: (groupId) => {
      child.stdin?.write(`${groupId}\n`)
    },
    endGroup() {
      // Whoever waits for the end must not find the event loop empty before it.
      child.ref()
      child.stdin?.end()
    },
    ended,
  }
}
