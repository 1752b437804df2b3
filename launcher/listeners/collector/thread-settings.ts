import type { PortName } from '#schemas/launcher-ports.ts'
import type { Settings } from '../../settings/settings.ts'

/** Settings of the thread: values that can be copied to it. */
export type ThreadSettings = Pick<
  Settings,
  'otlpEndpoint' | 'otlpHeaders' | 'stateUrl' | 'stateTokenFile' | 'logLevel'
> & {
  readonly agent: Pick<Settings['agent'], 'name' | 'namespace' | 'uid'>
  /** What the plugin `traces` wrote. */
  readonly traces: unknown
  readonly grpcPort: number
  readonly httpPort: number
}

/** What the thread reports. */
export type ThreadReport =
  | { readonly type: 'open'; readonly ports: Readonly<Partial<Record<PortName, number>>> }
  | {
      readonly type: 'failed'
      readonly message: string
      readonly code: string | undefined
      readonly port: number | undefined
    }
  | { readonly type: 'closed' }

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
