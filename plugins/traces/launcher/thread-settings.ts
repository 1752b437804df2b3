import type { PortName } from '#schemas/launcher/launcher-ports.ts'
import type { RefusalCode } from '#launcher/contract/http/refusal.ts'
import type { Settings } from '#launcher/contract/settings/settings.ts'

/** Settings of the thread: values that can be copied to it. */
export type ThreadSettings = Pick<
  Settings,
  'otlpEndpoint' | 'otlpHeaders' | 'stateUrl' | 'stateTokenFile' | 'logLevel'
> & {
  readonly agent: Pick<Settings['agent'], 'name' | 'namespace' | 'uid'>
  /** Configuration that the plugin `traces` wrote. */
  readonly traces: unknown
  readonly grpcPort: number
  readonly httpPort: number
}

/** Report of the thread. */
export type ThreadReport =
  | { readonly type: 'open'; readonly ports: Readonly<Partial<Record<PortName, number>>> }
  | {
      readonly type: 'failed'
      readonly message: string
      readonly code: string | undefined
      readonly port: number | undefined
    }
  | (ThreadCounts & { readonly type: 'counts' })
  | { readonly type: 'closed' }

/** Counts of the thread since its last report. */
export interface ThreadCounts {
  readonly refusals: readonly RefusedExports[]
  readonly droppedSpans: number
}

/** Requests that a port has refused with the same code. */
export interface RefusedExports {
  readonly listener: string
  readonly code: RefusalCode
  readonly count: number
}

/** An order to the thread. */
export type ThreadOrder = 'drain' | 'close'

/** The settings for the thread. */
export function toThreadSettings(settings: Settings): ThreadSettings {
  const { otlpEndpoint, otlpHeaders, stateUrl, stateTokenFile, logLevel, agent, ports } = settings
  const { name, namespace, uid, plugins } = agent
  return {
    otlpEndpoint,
    otlpHeaders,
    stateUrl,
    stateTokenFile,
    logLevel,
    agent: { name, namespace, uid },
    traces: plugins['traces'],
    grpcPort: ports('otlpGrpc'),
    httpPort: ports('otlpHttp'),
  }
}
