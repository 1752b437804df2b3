import { createClient } from '#cli/api/create-client.ts'
import type { OpenClient } from '#cli/api/create-client.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'
import type { KubeClient } from '#core/kube/client.ts'
import type { Role } from '#core/config/profile.ts'
import { processSecrets } from '#core/log/secrets.ts'
import { plugins } from '#plugins/index.ts'
import { composeStack } from '../../stack.ts'
import type { Stack, StackInput, StartedStack } from '../../stack.ts'
import { describeStartFailure } from '../../terminal/start-failure.ts'

const roles: readonly Role[] = ['migrate', 'state', 'manager', 'worker', 'gateway', 'bff']
const TIMEOUT_MS = 30_000

/** A started platform without demo content, and a client of its API as its only user. */
export interface DevStack {
  readonly started: StartedStack
  readonly api: OpenClient
  readonly bearer: string
  /** As cluster-admin. */
  readonly cluster: KubeClient
  close(): Promise<void>
}

/** What a session gives the platform. */
export interface DevStackInput extends Pick<StackInput, 'env' | 'version' | 'publicUrl' | 'content'> {
  readonly dataDir: string
  /** Working directory of the agent. */
  readonly cwd: string
  readonly write: (line: string) => void
}

/** Starts the platform as `mesh all` does, on free ports. Throws `CliProblem`. */
export async function startDevStack({ dataDir, cwd, ...input }: DevStackInput): Promise<DevStack> {
  const options = { data: dataDir, port: 0, fresh: false, demo: 'none', output: 'text', apiAudit: undefined } as const
  const workloads = { cwd, reservedPorts: true }
  let stack: Stack | undefined
  try {
    stack = await composeStack({ ...input, options, roles, plugins, workloads })
    const started = await stack.start()
    return { started, cluster: stack.cluster, ...clientOf(started, input.version), close: closerOf(stack) }
  } catch (error) {
    await stack?.close().catch(() => undefined)
    const text = toSafeText(processSecrets.redact(describeStartFailure(error, dataDir)))
    throw new CliProblem(
      `the platform did not start: ${text}`,
      'Try again with --data and a new folder, whose files then remain.',
    )
  }
}

function clientOf({ url, tokens }: StartedStack, version: string): Pick<DevStack, 'api' | 'bearer'> {
  const bearer = tokens.admin
  const access = { server: new URL(url), ca: undefined, namespace: 'default', source: 'dev', token: async () => bearer }
  return { bearer, api: createClient(access, { timeoutMs: TIMEOUT_MS, userAgent: `meshctl-dev/${version}` }) }
}

function closerOf({ composed, close }: Stack): () => Promise<void> {
  return async () => {
    await composed.host.drain()
    await close()
  }
}
