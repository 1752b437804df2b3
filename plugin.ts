// What `import { ... } from '@mesh.dev/mesh/plugin'` gives third-party plugins: helpers that check their arguments, and types. The host makes
// this file the target of that import, wherever the plugin is installed. The rest of the platform is not exported.
import type { EventType } from '#core/event-store/event.ts'
import { namedEvent, namedPlugin, namedPoint } from '#core/host/third-party/named-parts.ts'
import type { NamedPlugin } from '#core/host/third-party/named-parts.ts'
import type { Point } from '#core/jobs/extension-point.ts'
import type { AgentsApi } from '#plugins/agents/contract/api.ts'
import type { BudgetsApi } from '#plugins/budgets/contract/api.ts'
import type { PlatformEvents, PlatformPoints } from '#plugins/platform-types.ts'
import type { RunsApi } from '#plugins/runs/contract/api.ts'
import type { TenantsApi } from '#plugins/tenants/contract/api.ts'

/** APIs of the platform's plugins, by name. */
export interface PlatformApis {
  readonly agents: AgentsApi
  readonly budgets: BudgetsApi
  readonly runs: RunsApi
  readonly tenants: TenantsApi
}

type ApiOfName<N extends string> = N extends keyof PlatformApis ? PlatformApis[N] : unknown
type DataOfName<T extends string> = T extends keyof PlatformEvents ? PlatformEvents[T] : unknown
type ValueOfName<N extends string> = N extends keyof PlatformPoints ? PlatformPoints[N] : unknown
type EventName<T extends string> = T extends `dev.mesh.${string}` ? keyof PlatformEvents : T

/** A plugin for `needs`, by its name: `need('runs')`. */
export const need = namedPlugin as <const N extends string>(name: N) => NamedPlugin<ApiOfName<N>>

/** An event type with the type of its data, by its name: `event('dev.mesh.runs.failed.v1')`. */
export const event = namedEvent as <const T extends string>(type: EventName<T>) => EventType<DataOfName<T>>

/** An extension point with the type of its values, by its name: `point('agents.requirement')`. */
export const point = namedPoint as <const N extends string>(name: N) => Point<ValueOfName<N>>

export { sql } from 'kysely'
export type { Kysely } from 'kysely'
export { Type } from 'typebox'
export { inLiveNamespace } from '#core/cluster/object-index-sql.ts'
export { BadArguments } from '#core/command-line/option.ts'
export { applyOwned } from '#core/controllers/apply-owned.ts'
export { toConditionsStatus } from '#core/controllers/conditions.ts'
export { writeStatus } from '#core/controllers/write-status.ts'
export { Fail } from '#core/errors/domain-error.ts'
export {
  checkedContribute as contribute,
  checkedCrud as crud,
  checkedEndpoint as endpoint,
  checkedErrors as defineErrors,
  checkedEvent as defineEvent,
  checkedHandler as handleTask,
  checkedKind as defineKind,
  checkedOn as on,
  checkedOptional as optional,
  checkedPlugin as definePlugin,
  checkedResourceRoutes as resourceRoutes,
  checkedTask as defineTask,
} from '#core/host/third-party/checked-declarations.ts'
export { checkedStoreCrud as storeCrud, checkedStored as defineStored } from '#core/host/third-party/checked-stored.ts'
export {
  checkedEventStream as openEventStream,
  checkedRequireVersion as requireVersion,
  checkedStoreList as storeList,
  checkedVersioned as versioned,
} from '#core/host/third-party/checked-calls.ts'
export { definePoint } from '#core/jobs/extension-point.ts'
export { objectKey, objectPrefix } from '#core/objects/object-key.ts'
export { defineCommand } from '#core/plugin/command.ts'
export { TaskFailure } from '#core/tasks/task.ts'
export type { PlatformEvents, PlatformPoints } from '#plugins/platform-types.ts'
export type { Access, Caller } from '#core/cluster/caller.ts'
export type { Consumer } from '#core/messaging/consumer/consumer.ts'
export type { EventType, NewEvent, StoredEvent } from '#core/event-store/event.ts'
export type {
  BffContext,
  ConsumerContext,
  GatewayContext,
  ManagerContext,
  StateContext,
  WorkerContext,
} from '#core/plugin/role-contexts.ts'
export type { AccessRule, Verb } from '#core/cluster/roles/access-rule.ts'
export type { CrudOptions } from '#core/plugin/crud.ts'
export type { KindSlot } from '#core/plugin/kind-slot.ts'
export type { AnyKind, Kind, KindDefinition, ObjectOf } from '#schemas/kinds/kind.ts'
export type { CommandOption, CommandOptions, CommandValues } from '#core/command-line/option.ts'
export type { ApiClient } from '#core/http-client/api-client.ts'
export type { Command, CommandInput, CommandSpec, CommandStore } from '#core/plugin/command.ts'
export type { ConsolePage } from '#core/plugin/console-page.ts'
export type { DeclaredPage } from '#core/plugin/declared-page.ts'
export type { Core, CoreWith, Requirement } from '#core/plugin/core-services.ts'
export type { AnyPlugin, ApiOf, Needs, OptionalNeed, Plugin, PluginKeys } from '#core/plugin/plugin.ts'
export type { NamedPlugin } from '#core/host/third-party/named-parts.ts'
export type { ErrorDefinition, ErrorSpec, ErrorTable } from '#core/errors/define-errors.ts'
export type { Contribution, Point } from '#core/jobs/extension-point.ts'
export type { Informer, Reconciler } from '#core/controllers/watch/declarations.ts'
export type { Job, JobTerm, Term } from '#core/jobs/background-work.ts'
export type { SystemOf, SystemReads } from '#core/plugin/system-reads.ts'
export type { Authz } from '#core/http/endpoint/authz.ts'
export type { AnyEndpoint, Call, Endpoint } from '#core/http/endpoint/endpoint.ts'
export type { Reply } from '#core/http/endpoint/reply.ts'
export type { Mountable, Part } from '#core/http/endpoint/mountable.ts'
export type { Projection, Reader, Store, Tx } from '#core/event-store/store.ts'
export type { StoredSlot } from '#core/plugin/stored-slot.ts'
export type { StoreCrudOptions } from '#core/plugin/store-crud.ts'
export type { StoredResource } from '#core/http/store/declared/stored-resource.ts'
export type { StoredSpec } from '#core/http/store/declared/stored-spec.ts'
export type { RowKey, RowPage, StoreList, StorePage } from '#core/http/store/store-list.ts'
export type { Task, TaskContext, TaskHandler, TaskLimits, TaskType } from '#core/tasks/task.ts'
export type { Enqueued, NewTask } from '#core/tasks/enqueue-task.ts'
export type { TaskQueue } from '#core/tasks/task-queue.ts'
export type { Keyring, KeyName, RoleKeys } from '#core/signing/keyring.ts'
export type {
  AgentDocument,
  AgentDocumentOwner,
  AgentGate,
  AgentReplicas,
  GateCandidate,
  GateHold,
  ReferenceMark,
  ReplicasProposal,
  RequirementCheck,
} from '#plugins/agents/contract/points.ts'
export type {
  ConfigProblem,
  Evaluator,
  EvaluatorConfig,
  EvaluatorContext,
  EvaluatorScore,
  ScoredOutput,
} from '#plugins/evals/contract/points.ts'
export type { AgentsApi, CreateAgentOptions, GeneratedConfig, GenerateRequest } from '#plugins/agents/contract/api.ts'
export type {
  AgentCall,
  AgentOutcome,
  AgentRuns,
  CallFilter,
  FilterContext,
  FilterRefusal,
  FilteredCall,
  ModelAdapter,
  ModelFilter,
  ModelRequest,
  Replacement,
  RequestText,
  RequestVerdict,
  TextFilter,
  TextWindow,
  ToolCall,
  Verdict,
} from '#plugins/providers/contract/points.ts'
export type { Pruner } from '#plugins/pruning/contract/points.ts'
export type { SealBinding, Sealed } from '#core/signing/sealed.ts'
export type { ConditionsStatus, ConditionValue } from '#core/controllers/conditions.ts'
export type { IndexedEntry, IndexedObjects, ObjectReads } from '#core/object-reads/indexed-objects.ts'
export type { EventRights } from '#core/event-rights/event-rights.ts'
export type { ObjectStore } from '#core/objects/object-store.ts'
export type { PaidChat, PaidModels, RoleModels } from '#core/role-models/role-models.ts'
export type {
  PreparedRun,
  PrepareRequest,
  QueuedRun,
  RunSnapshot,
  RunsApi,
  RunsSystem,
  SealedAccess,
} from '#plugins/runs/contract/api.ts'
export type {
  ChildRun,
  ExecutorChange,
  ExecutorContext,
  ExecutorResult,
  ExecutorRun,
  RunExecutor,
  RunProgress,
} from '#plugins/runs/contract/points.ts'
