import { refuseUnenforced } from '#core/plugin/enforced-fields.ts'
import { changeActorFinder } from '#core/controllers/objects/extension-points.ts'
import type { Core } from '#core/plugin/core-services.ts'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { createApprovals, noApprovals } from './approvals/approvals.ts'
import type { Approvals } from './approvals/approvals.ts'
import { createFindLastWriter } from './approvals/last-writer.ts'
import type { FindLastWriter } from './approvals/last-writer.ts'
import type { RunsApi, RunsSystem } from '#plugins/runs/contract/api.ts'
import { createReplaceCall } from './broker/replace-call.ts'
import { createFindBoundTools } from './broker/bound-tools.ts'
import { createCallPlaces } from './broker/call-places.ts'
import { createCallTool } from './broker/call-tool.ts'
import { createReportCall } from './broker/report-call.ts'
import { brokerEndpoints } from './broker/state-routes.ts'
import { createKeptSessions } from './client/kept-sessions.ts'
import type { KeptSessions } from './client/kept-sessions.ts'
import { createSession, createWithSession } from './client/session.ts'
import { createShakeHands } from './connect/handshake.ts'
import type { ShakeHands } from './connect/handshake.ts'
import { createDiscoveries } from './discovery/discoveries.ts'
import type { Discoveries } from './discovery/discoveries.ts'
import { discover } from './discovery/discover.ts'
import type { GrantServices } from './oauth/server/grant-services.ts'
import { createRunTokens } from './oauth/tokens/run-tokens.ts'
import { mcpMetrics } from './contract/metrics.ts'
import { toolReplacement } from './contract/points.ts'
import type { McpSettings } from './contract/settings.ts'

/** Services of the plugin, for its slots. */
export interface McpServices {
  readonly core: Core
  readonly settings: McpSettings
  readonly discoveries: Discoveries
  /** Approvals for the manager, where manifests need one. */
  readonly approvals: Approvals | undefined
  /** Finds the authenticated author of a server; undefined without a store. */
  readonly findLastWriter: FindLastWriter | undefined
  /** Asks a server that is about to be connected. */
  readonly shakeHands: ShakeHands
  /** Undefined without a store. */
  readonly grants: GrantServices | undefined
  readonly runs: RunsApi | undefined
  /** Routes of the state role, through which launchers call tools. */
  broker(state: StateContext, runs: RunsSystem | undefined): readonly AnyEndpoint[]
  close(): Promise<void>
}

// A session needs three requests and its manifest; a page of tools is one more request.
const limits = { maxBytes: 1024 * 1024, maxRequests: 32 }
const most = { total: 16, perNamespace: 2 }
const WAIT_MS = 500

/** Creates the services, without I/O. */
export function createServices(
  core: Core,
  settings: McpSettings,
  { runs }: { readonly runs?: RunsApi | undefined } = {},
): McpServices {
  const { store, sealed, outbound, log, now } = core
  const grants = store && { store, sealed, outbound, log, now }
  const dispatcher = core.outbound.open({ connections: most.total, keepAliveMs: 1_000 })
  const calls = core.outbound.open({ connections: settings.maxCalls })
  const withSession = createWithSession({ ...limits, dispatcher, version: core.version })
  const kept: KeptSessions[] = []
  return {
    core,
    settings,
    approvals: settings.requireAcceptance ? (core.store ? createApprovals(core.store) : noApprovals) : undefined,
    findLastWriter: core.store && createFindLastWriter(core.store, () => core.extensions(changeActorFinder)),
    shakeHands: createShakeHands({ outbound: core.outbound, withSession }),
    discoveries: createDiscoveries({ read: (key) => discover(withSession, key), most, waitMs: WAIT_MS }),
    grants,
    runs,
    broker: ({ cluster, objects }, ranRuns) => {
      const { maxResultBytes, maxCalls: total, maxCallsPerNamespace: perNamespace } = settings
      // The first use of a session reads the manifest, too.
      const maxBytes = limits.maxBytes + maxResultBytes
      const session = { ...limits, maxBytes, dispatcher: calls, version: core.version }
      const sessions = createKeptSessions({
        create: () => createSession(session),
        maxAgeMs: settings.sessionSeconds * 1_000,
        most: total,
        mostPerNamespace: perNamespace,
      })
      kept.push(sessions)
      const made = core.metrics.counter(mcpMetrics.calls)
      return brokerEndpoints({
        check: ({ spec }) => refuseUnenforced(spec, core.unenforced(AgentDeployment.kind)),
        boundTools: createFindBoundTools(cluster),
        callTool: createCallTool({
          cluster,
          runTokens: grants && ranRuns && createRunTokens(grants, ranRuns),
          withSession: sessions.run,
          takePlace: createCallPlaces({ total, perNamespace }),
          maxResultBytes,
        }),
        onCall: (outcome) => made.inc({ outcome }),
        report: createReportCall({ cluster, log: core.log, now: core.now }),
        replaced: createReplaceCall({ replacements: () => core.extensions(toolReplacement), objects, maxResultBytes }),
      })
    },
    close: async () => {
      await Promise.all(kept.map((sessions) => sessions.close()))
      await Promise.all([dispatcher.destroy(), calls.destroy()])
    },
  }
}
