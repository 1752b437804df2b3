import assert from 'node:assert/strict'
import test from 'node:test'
import { podProblem } from './pod-problem.ts'
import { deploymentProgress } from './workload-progress.ts'
import { refusedPodsMessage } from './refused-pods.ts'
import { threadMs } from '#test/harness/thread-time.ts'

const now = new Date('2026-11-22T10:00:30Z')
const about = { now, port: 8000 }
const created = '2026-11-22T09:00:00Z'

interface Given {
  readonly state?: object
  readonly lastState?: object
  readonly restartCount?: number
  readonly restartPolicy?: string
  readonly launcher?: object
  readonly conditions?: readonly { type: string; status: string; message?: string }[]
  readonly at?: string
}

const pod = ({ state = {}, lastState, restartCount = 4, launcher, conditions, at = created, ...more }: Given) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', creationTimestamp: at },
  spec: {
    restartPolicy: more.restartPolicy ?? 'Always',
    containers: [{ name: 'agent', resources: { limits: { memory: '64Mi' } } }],
  },
  status: {
    ...(conditions === undefined ? {} : { conditions }),
    initContainerStatuses: [{ name: 'launcher', ready: false, state: { running: {} }, ...launcher }],
    containerStatuses: [{ name: 'agent', restartCount, state, ...(lastState === undefined ? {} : { lastState }) }],
  },
})
const problem = (given: Given) => podProblem([pod(given)], about)
const terminated = (exitCode: number, message?: string, reason = 'Error') => ({
  terminated: { exitCode, reason, ...(message === undefined ? {} : { message }) },
})
const crashLoop = { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s restarting failed container' } }

test('the problem is that of the newest unready pod', () => {
  assert.equal(problem({ state: { waiting: { reason: 'ContainerCreating' } } }), undefined)
  const found = podProblem(
    [
      pod({ state: { waiting: { reason: 'ImagePullBackOff' } }, at: '2026-01-01T00:00:00Z' }),
      pod({ state: crashLoop, lastState: terminated(3) }),
    ],
    about,
  )
  assert.deepEqual(found, {
    reason: 'CrashLoopBackOff',
    message: 'container agent exited with code 3, 4 restarts',
  })
})

test('UXH7: a crash is reported with the last line of the log, without control characters', () => {
  const log = "Traceback\n  File \"x\"\npython: can't open \u001b[31mfile\u001b[0m\u0000 'py_agentt.py'\n\n"
  const { message } = problem({ state: crashLoop, lastState: terminated(2, log) }) ?? {}
  assert.match(
    message ?? '',
    /code 2, 4 restarts; last line of its log: python: can't open {1,2}\[31mfile {1,2}\[0m {1,2}'py_agentt\.py'$/,
  )
  assert.doesNotMatch(message ?? '', /\p{C}/u)
  const long = problem({ state: crashLoop, lastState: terminated(2, 'é'.repeat(1_000_000)) })?.message ?? ''
  assert.ok(long.length < 300 && long.endsWith('...'), 'a line of 1 MiB is cut')
  const json = problem({
    state: crashLoop,
    lastState: terminated(78, '{"level":"error","msg":"configuration: /model"}'),
  })
  assert.match(json?.message ?? '', /last line of its log: configuration: \/model$/)
})

test('UXH7: a missing program is named, in the message of any runtime', () => {
  const runc =
    'failed to create containerd task: runc create failed: error during container init: exec: "pyhton3": executable file not found in $PATH: unknown'
  const said = [
    problem({ state: crashLoop, lastState: terminated(128, runc, 'StartError') }),
    problem({
      state: crashLoop,
      lastState: terminated(127, '[FATAL tini (7)] exec pyhton3 failed: No such file or directory\n'),
    }),
    problem({ state: crashLoop, lastState: terminated(127, '{"level":"error","msg":"program pyhton3 not found"}') }),
    problem({ state: { waiting: { reason: 'RunContainerError', message: runc } } }),
  ]
  for (const one of said) assert.match(one?.message ?? '', /^container agent: program pyhton3 not found/)
})

test('UXH7: exit code 0 is a problem of a service and none of a job', () => {
  const ended = { state: crashLoop, lastState: terminated(0, undefined, 'Completed'), restartCount: 1 }
  assert.deepEqual(problem(ended), {
    reason: 'CrashLoopBackOff',
    message: 'container agent: the process ended by itself with code 0, and a service must keep running, 1 restart',
  })
  assert.equal(problem({ state: terminated(0), restartPolicy: 'Never' }), undefined)
  assert.equal(problem({ launcher: { name: 'istio-init', state: terminated(0) } }), undefined, 'of a third party')
})

test('PODA23: an OOM-killed container is named with its limit, also while it restarts', () => {
  const killed = terminated(137, undefined, 'OOMKilled')
  const expected = { reason: 'OOMKilled', message: 'container agent exceeded its memory limit of 64Mi, 1 restart' }
  assert.deepEqual(problem({ state: crashLoop, lastState: killed, restartCount: 1 }), expected)
  const running = { running: { startedAt: '2026-11-22T10:00:29Z' } }
  assert.deepEqual(problem({ state: running, lastState: killed, restartCount: 1 }), expected)
  const sidecar = problem({ launcher: { state: crashLoop, lastState: killed, restartCount: 2 } })
  assert.deepEqual(sidecar, {
    reason: 'OOMKilled',
    message: 'container launcher exceeded its memory limit, 2 restarts',
  })
})

test('UXM14: the reason of a crash is kept until the container runs again', () => {
  const running = { running: { startedAt: '2026-11-22T10:00:29Z' } }
  const each = [
    { state: terminated(3) },
    { state: crashLoop, lastState: terminated(3) },
    { state: running, lastState: terminated(3) },
  ]
  for (const one of each) assert.equal(problem(one)?.reason, 'CrashLoopBackOff')
  assert.equal(problem({ state: terminated(3), restartCount: 0 })?.message, 'container agent exited with code 3')
})

test('UXH7, UXH8: a running agent that does not answer is reported with its port after a delay', () => {
  const running = (startedAt: string) => ({ state: { running: { startedAt } }, restartCount: 0 })
  assert.equal(problem(running('2026-11-22T10:00:20Z')), undefined)
  assert.deepEqual(problem(running('2026-11-22T10:00:00Z')), {
    reason: 'AgentNotListening',
    message:
      'the agent runs and does not respond on AGENT_PORT=8000: it must listen there, on 127.0.0.1 or all addresses',
  })
  const local = [{ type: 'mesh.dev/agent-listens', status: 'False', message: 'AGENT_PORT=43073' }]
  assert.equal(problem({ ...running('2026-11-22T10:00:29Z'), conditions: local })?.message, 'AGENT_PORT=43073')
})

test('PODA13: a refusal of pods is reported by names, fields and quantities, without submitted text', () => {
  const forbidden = 'pods "bot-5d-" is forbidden: '
  const cases: [string, string][] = [
    [
      `${forbidden}exceeded quota: q, requested: limits.memory=1Gi,pods=1, used: pods=3, limited: limits.memory=512Mi,pods=3`,
      'ResourceQuota q is exceeded: requested limits.memory=1Gi,pods=1, limited to limits.memory=512Mi,pods=3',
    ],
    [
      `${forbidden}failed quota: q: must specify limits.memory for: launcher`,
      'ResourceQuota q: must specify limits.memory for: launcher',
    ],
    [
      `${forbidden}violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "s3cret" must set x=y), runAsNonRoot != true (pod or container "s3cret" must set z)`,
      'Pod Security "restricted:latest" refuses the pods: allowPrivilegeEscalation != false, runAsNonRoot != true',
    ],
    [
      `${forbidden}maximum memory usage per Container is 512Mi, but limit is 1Gi`,
      'maximum memory usage per Container is 512Mi, but limit is 1Gi',
    ],
    [
      'admission webhook "guard.corp.example" denied the request: env TOKEN=s3cret',
      'The admission webhook guard.corp.example refuses the pods.',
    ],
    [
      `Pod "bot" is invalid: spec.containers[0].env[1].value: Invalid value: "s3cret": too short`,
      'The cluster refuses the pods: spec.containers[0].env[1].value: Invalid value',
    ],
    ['s3cret\u0000\ud800', 'The cluster refuses the pods; kubectl describe replicaset shows why.'],
  ]
  for (const [given, expected] of cases) assert.equal(refusedPodsMessage(given), expected)
  const started = threadMs()
  refusedPodsMessage(`exceeded quota: q, requested: ${'a=1,'.repeat(300_000)}`)
  assert.ok(threadMs() - started < 500, 'a message of 1 MiB costs no time')
  const { failure } = deploymentProgress({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'bot', generation: 1 },
    status: { conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 's3cret' }] },
  })
  assert.deepEqual(failure, {
    reason: 'FailedCreate',
    message: 'The cluster refuses the pods; kubectl describe replicaset shows why.',
  })
})
