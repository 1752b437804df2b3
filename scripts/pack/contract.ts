// Types of the package for third-party plugins; the rest of the platform is not exported.
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
export type { Command, CommandInput, CommandSpec, CommandStore } from '#core/plugin/command.ts'
export type { ConsolePage } from '#core/plugin/console-page.ts'
export type { Core, CoreWith, Requirement } from '#core/plugin/core-services.ts'
export type { AnyPlugin, ApiOf, Needs, OptionalNeed, Plugin, PluginKeys } from '#core/plugin/plugin.ts'
export type { ErrorDefinition, ErrorSpec, ErrorTable } from '#core/errors/define-errors.ts'
export type { Contribution, Point } from '#core/jobs/extension-point.ts'
export type { Mesh } from '#core/host/third-party/mesh.ts'
export type { Informer, Reconciler } from '#core/controllers/watch/declarations.ts'
export type { Job, JobTerm, Term } from '#core/jobs/background-work.ts'
export type { SystemOf, SystemReads } from '#core/plugin/system-reads.ts'
export type { Authz } from '#core/http/endpoint/authz.ts'
export type { AnyEndpoint, Call, Endpoint } from '#core/http/endpoint/endpoint.ts'
export type { Reply } from '#core/http/endpoint/reply.ts'
export type { Mountable, Part } from '#core/http/endpoint/mountable.ts'
export type { Projection, Reader, Store, Tx } from '#core/event-store/store.ts'
export type { RowKey, RowPage, StoreList, StorePage } from '#core/http/store/store-list.ts'
export type { Task, TaskContext, TaskHandler, TaskLimits, TaskType } from '#core/tasks/task.ts'
export type { Enqueued, NewTask } from '#core/tasks/enqueue-task.ts'
export type { TaskQueue } from '#core/tasks/task-queue.ts'
export type { Keyring, KeyName, RoleKeys } from '#core/signing/keyring.ts'
// Values of extension points, for `mesh.point<RequirementCheck>('agents.requirement')`.
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
export type { PreparedRun, PrepareRequest, QueuedRun, RunsApi } from '#plugins/runs/contract/api.ts'
export type { ExecutorChange, ExecutorResult, ExecutorRun, RunExecutor } from '#plugins/runs/contract/points.ts'
