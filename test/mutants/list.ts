import { mutants as ofAdmission } from './admission.ts'
import { mutants as ofAgents } from './agents.ts'
import { mutants as ofServerAccess } from './apiserver-access.ts'
import { mutants as ofServerDefinitions } from './apiserver-definitions.ts'
import { mutants as ofServerRequests } from './apiserver-requests.ts'
import { mutants as ofServerStorage } from './apiserver-storage.ts'
import { mutants as ofAudit } from './audit.ts'
import { mutants as ofBudgets } from './budgets.ts'
import { mutants as ofCandidates } from './candidates.ts'
import { mutants as ofCommandLine } from './command-line.ts'
import { mutants as ofCommands } from './commands.ts'
import { mutants as ofConversations } from './convo.ts'
import { mutants as ofCost } from './cost.ts'
import { mutants as ofChecks } from './checks.ts'
import { mutants as ofCluster } from './core-cluster.ts'
import { mutants as ofHttp } from './core-http.ts'
import { mutants as ofKinds } from './kinds.ts'
import { mutants as ofLeaves } from './core-leaves.ts'
import { mutants as ofEvals } from './evals.ts'
import { mutants as ofErasures } from './erasures.ts'
import { mutants as ofFeedback } from './feedback.ts'
import { mutants as ofGuardedTexts } from './guarded-texts.ts'
import { mutants as ofGuardrails } from './guardrails.ts'
import { mutants as ofGateway } from './gateway.ts'
import { mutants as ofGrants } from './grants.ts'
import { mutants as ofIsolation } from './isolation.ts'
import { mutants as ofLauncher } from './launcher.ts'
import { mutants as ofMcp } from './mcp.ts'
import { mutants as ofMemory } from './memory.ts'
import { mutants as ofMeters } from './meters.ts'
import { mutants as ofMessaging } from './core-messaging.ts'
import { mutants as ofStore } from './core-store.ts'
import { mutants as ofPaidCalls } from './paid-calls.ts'
import { mutants as ofPages } from './pages.ts'
import { mutants as ofKnowledge } from './knowledge.ts'
import { mutants as ofModelFilters } from './model-filters.ts'
import { mutants as ofModelProxy } from './model-proxy.ts'
import { mutants as ofOpenProtocols } from './open-protocols.ts'
import { mutants as ofOutbound } from './outbound.ts'
import { mutants as ofPluginsOff } from './plugins-off.ts'
import { mutants as ofThirdParties } from './third-party.ts'
import { mutants as ofProviders } from './providers.ts'
import { mutants as ofRecording } from './recording.ts'
import { mutants as ofResponses } from './responses.ts'
import { mutants as ofRuns } from './runs.ts'
import { mutants as ofRunBounds } from './runs-bounds.ts'
import { mutants as ofDispatch } from './runs-dispatch.ts'
import { mutants as ofBehalf } from './runs-behalf.ts'
import { mutants as ofRetention } from './retention.ts'
import { mutants as ofSharing } from './sharing.ts'
import { mutants as ofStored } from './stored.ts'
import { mutants as ofStateStore } from './state-store.ts'
import { mutants as ofStartup } from './startup.ts'
import { mutants as ofDeploy } from './deploy.ts'
import { mutants as ofDoors } from './doors.ts'
import { mutants as ofNamespaces } from './namespaces.ts'
import { mutants as ofTasks } from './tasks.ts'
import { mutants as ofCalls } from './amp.ts'
import { mutants as ofTenants } from './tenants.ts'
import { mutants as ofTraces } from './traces.ts'
import type { Mutant } from './mutant.ts'

/** Every listed defect. */
export const all: readonly Mutant[] = [
  ...ofHttp,
  ...ofDoors,
  ...ofPages,
  ...ofCommandLine,
  ...ofAdmission,
  ...ofCluster,
  ...ofStore,
  ...ofMessaging,
  ...ofStored,
  ...ofStateStore,
  ...ofSharing,
  ...ofRetention,
  ...ofLeaves,
  ...ofKinds,
  ...ofAudit,
  ...ofProviders,
  ...ofGateway,
  ...ofOpenProtocols,
  ...ofOutbound,
  ...ofBudgets,
  ...ofCandidates,
  ...ofPaidCalls,
  ...ofMeters,
  ...ofErasures,
  ...ofEvals,
  ...ofFeedback,
  ...ofTenants,
  ...ofTraces,
  ...ofCost,
  ...ofKnowledge,
  ...ofMcp,
  ...ofGrants,
  ...ofMemory,
  ...ofModelFilters,
  ...ofModelProxy,
  ...ofCalls,
  ...ofRecording,
  ...ofResponses,
  ...ofRuns,
  ...ofRunBounds,
  ...ofDispatch,
  ...ofCommands,
  ...ofBehalf,
  ...ofConversations,
  ...ofAgents,
  ...ofGuardrails,
  ...ofGuardedTexts,
  ...ofIsolation,
  ...ofLauncher,
  ...ofServerAccess,
  ...ofServerDefinitions,
  ...ofServerRequests,
  ...ofServerStorage,
  ...ofStartup,
  ...ofDeploy,
  ...ofPluginsOff,
  ...ofThirdParties,
  ...ofNamespaces,
  ...ofTasks,
  ...ofChecks,
]
