import { spawn } from 'node:child_process'

/** Kills the agent's process group and all processes that the agent started when this process ends. */
export interface ProcessGroupGuard {
  /** Sets the group: the process id of its leader. */
  watch(groupId: number): void
  /** Kills the remaining processes of the agent; the guard then ends. */
  endGroup(): void
  /** Resolves when the guard has ended and no process of the agent is left. */
  readonly ended: Promise<void>
}

// The first line contains the group; the end of the pipe kills it, however the writer ends. A child of the agent may have left the group (setsid), so
// all descendants of the agent are stopped, listed and killed too. `read`, `kill` and `echo` are builtins: one small process. No `--` before a group:
// the builtin of dash parses it as a number. Processes that left the group and lost their parent are no descendants. If the launcher died between
// fork and `watch`, the group is unknown. In both cases the mark in the environment finds them. The search must come up empty twice in succession,
// because the environment of a process is empty for a moment during exec. Without grep, only the group and the descendants are killed.
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
 * Starts a guard process that kills the agent when this process ends, even by kill -9 (P4). In a pod the end of the container
 * does this; on a plain machine only the guard does. Images without /bin/sh run in pods only. The guard is started before the agent,
 * so that it reads the pipe before an agent exists. `mark` is text that only the agent's environment contains.
 */
export function startProcessGroupGuard(mark: string): ProcessGroupGuard {
  const child = spawn('/bin/sh', ['-c', script, mark], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    // Its own session: a signal to the launcher's group must not end the guard first.
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
      // Keeps the event loop alive for callers that await `ended`.
      child.ref()
      child.stdin?.end()
    },
    ended,
  }
}
