/** An agent by name. */
interface NamedAgent {
  readonly namespace: string
  readonly agent_name: string | null
}

/** The message about what a run waits for, without any message of the cluster. A reader of the run may have no right to read the agent. */
export function waitMessage(agent: NamedAgent, reason: string): string {
  return `Waits for agent ${nameOf(agent)}: ${causes[reason] ?? 'it is not ready'} (${reason}).`
}

/** The message about why a run fails immediately. */
export function neverMessage(agent: NamedAgent, reason: string): string {
  return `Agent ${nameOf(agent)} cannot run: ${refusals[reason] ?? 'its spec is not accepted'} (${reason}).`
}

function nameOf({ namespace, agent_name: name }: NamedAgent): string {
  return `${namespace}/${name ?? ''}`
}

const startFails = 'its program ends at its start'
const imageFails = 'the image of its pod cannot be pulled'

const causes: Readonly<Record<string, string>> = {
  NotObserved: 'the platform has not read its spec yet',
  Progressing: 'a replica is starting',
  NoReadyPod: 'none of its pods is ready',
  ScaledToZero: 'it is scaled to zero',
  ImagePullBackOff: imageFails,
  ErrImagePull: imageFails,
  InvalidImageName: imageFails,
  CrashLoopBackOff: startFails,
  Error: startFails,
  AgentNotListening: 'its program does not listen on its port',
  OOMKilled: 'its memory limit is too low',
  Unschedulable: 'no node has room for its pod',
  ReplicaFailure: 'its pods cannot be created, for example because of a quota',
  ClusterRefused: 'the cluster refuses its objects, for example because of a quota',
  ProgressDeadlineExceeded: 'its pods did not become ready in time',
  NotFound: 'an object that it names does not exist',
  NotAllowed: 'an object that it names does not allow its namespace',
  KindNotAvailable: 'it names a kind that the installation does not have',
  SecretMissing: 'a Secret that it names does not exist',
  KeyMissing: 'a key of a Secret that it names does not exist',
}

const refusals: Readonly<Record<string, string>> = {
  AgentDeleted: 'it was deleted',
  RevisionNotRunning: 'the revision that the run names neither serves nor is a candidate',
  JobAgent: 'it is a job, which takes no runs',
  NotFound: causes['NotFound'] ?? '',
  NotAllowed: causes['NotAllowed'] ?? '',
  KindNotAvailable: causes['KindNotAvailable'] ?? '',
}
