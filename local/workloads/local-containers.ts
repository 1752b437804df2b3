import { INIT_COMMAND } from '#schemas/launcher/launcher.ts'
import type { Container, Pod } from './objects/workload-objects.ts'

/** The containers of an agent's pod as local processes: the launcher, and the agent as its child. */
export interface LocalContainers {
  readonly launcher: Container
  /** Undefined for a declarative agent, whose loop the launcher runs. */
  readonly agent: Container | undefined
}

/** Selects launcher and agent of a pod: the launcher is a native sidecar, or the only container. */
export function containersOf(pod: Pod): LocalContainers | undefined {
  const [first] = pod.spec?.containers ?? []
  const sidecar = pod.spec?.initContainers?.find((one) => one.restartPolicy === 'Always')
  if (first === undefined) return undefined
  return sidecar === undefined ? { launcher: first, agent: undefined } : { launcher: sidecar, agent: first }
}

/** Program and arguments of the agent on this machine; undefined if only its image defines them. */
export function commandOf({ command, args = [] }: Container): readonly string[] | undefined {
  if (command === undefined) return undefined
  const isInit = INIT_COMMAND.every((part, index) => command[index] === part)
  return [...command.slice(isInit ? INIT_COMMAND.length : 0), ...args]
}
