import type { ColumnType, Generated, Insertable, Selectable, Transaction } from 'kysely'
import type { RunProgress } from './run-progress.ts'
import type { Decision, FailReason, Interrupt, PauseReason, Resolution, RunState } from '#schemas/runs/run.ts'

/** A jsonb column: read as a value, written as a JSON string, which both drivers accept. */
type Json<T> = ColumnType<T, string, string>

/** The read model of a run; only the projection writes it. */
export interface RunRow {
  id: string
  version: number
  namespace: string
  namespace_uid: string
  agent_name: string | null
  agent_uid: string | null
  agent_revision: number | null
  /** Kind of a run without an agent. */
  executor: string | null
  conversation_id: string
  root_run_id: string
  parent_run_id: string | null
  trigger_kind: string
  trigger_by: string
  /** Subject of the grant: unchanged by a resume, inherited by delegated runs. */
  subject: string
  /** Account that answered the last interrupt. */
  decided_by: string | null
  /** Why the run waits for its agent. Older processes do not reset it, so it counts only before a segment starts. */
  wait_reason: string | null
  state: RunState
  pause_reason: PauseReason | null
  fail_reason: FailReason | null
  started: boolean
  segment: number
  open_interrupts: Json<{ id: string; reason: PauseReason; tool?: string }[]>
  labels: Json<Record<string, string>>
  trace_id: string
  input_tokens: number
  output_tokens: number
  cached_tokens: number
  reasoning_tokens: number
  created_at: Date
  started_at: Date | null
  finished_at: Date | null
}

/** A label of a run, with the sort key and filters of lists; only the projection writes it. */
export interface LabelRow {
  run_id: string
  key: string
  value: string
  namespace_uid: string
  created_at: Date
}

/** Content of a run: never in an event, deleted with the run. */
export interface ContentRow {
  run_id: string
  input: Json<unknown>
  output: Json<unknown> | null
  /** What lists show of input and output, after the trace policy of the agent. */
  input_preview: Generated<string | null>
  output_preview: Generated<string | null>
  error: string | null
  grant_token: string
  interrupts: Json<Interrupt[]>
  resolutions: Json<Resolution[]>
  checkpoint: Json<unknown> | null
  /** Hashes of the request that created the run, see `Idempotency`. */
  idempotency_key: Generated<Buffer | null>
  idempotency_request: Generated<Buffer | null>
  /** Every answer to an interrupt of the run, oldest first. */
  decisions: ColumnType<Decision[], string | undefined, string>
  /** Time by which a run that an agent called must end. */
  deadline: Generated<Date | null>
  /** The revision of the agent that the run is bound to; null: any. */
  revision: Generated<number | null>
  /** Latest progress of a run without an agent. */
  progress: ColumnType<RunProgress | null, string | undefined, string | null>
}

/** The queue. `journal_seq` is the last assigned sequence number, gapless since it is assigned under the row lock. */
export interface LeaseRow {
  run_id: string
  state: 'ready' | 'waiting' | 'done'
  epoch: Generated<number>
  holder: string | null
  expires_at: Date | null
  wake_at: Date
  idle_since: Date
  journal_seq: Generated<number>
  launcher_n: Generated<number>
  ticket: Generated<string | null>
  ticket_segment: Generated<number | null>
  /** Failed attempts since the last entry of the launcher. */
  tries: Generated<number>
  namespace_uid: string
  /** Bytes of input, output, checkpoint, resolutions and journal. */
  bytes: Generated<bigint>
  launcher: ColumnType<LauncherPlace | null, string | undefined, string | null>
  /** When the first text of the agent arrived. */
  first_token_at: Generated<Date | null>
  tool_calls: Generated<number>
}

/** Address of a launcher. `id` distinguishes it from a later launcher with the same address. */
export interface LauncherAddress {
  readonly id: string
  readonly url: string
}

/** Launcher of a started segment. */
export interface LauncherPlace extends LauncherAddress {
  readonly segment: number
}

/** The journal: entries of a run, with content. */
export interface JournalRow {
  run_id: string
  seq: number
  ts: Date
  kind: string
  path: Json<string[]>
  span_id: string
  data: Json<Record<string, unknown>>
}

/** Partial texts of unfinished messages, for streams that start in the middle of one. */
export interface PartialRow {
  run_id: string
  message_id: string
  text: string
}

/** Stored bytes of the runs of a namespace, in 16 shards by the last digit of the run id. */
export interface StorageRow {
  namespace_uid: string
  shard: string
  bytes: bigint
}

/** A public key of the launchers of an agent, from versions before certificates. */
export interface LauncherKeyRow {
  agent_uid: string
  public_key: string
  recorded_at: Generated<Date>
  valid_until: Generated<Date>
}

/** A run with feedback. */
export interface RatedRow {
  run_id: string
}

/** A prepared run that was queued, until it expires. */
export interface PreparedRow {
  run_id: string
  expires_at: Date
}

/** Model calls of a run and their cost; only the projection writes it. Sums are whole numbers as strings. */
export interface RunCostRow {
  run_id: string
  /** Metered calls, embeddings for the run included. */
  calls: string
  unpriced: string
  /** Metered calls that the gateway answered, without embeddings of roles. */
  answered: string
  /** A call of the run went through the gateway: what its agent reports is ignored. */
  metered: boolean
  /** Model of the first metered call; null for calls of before it was kept. */
  model: Generated<string | null>
  /** Cost in micro-units of the currency. */
  micros: string
  currency: string | null
  /** The calls have several currencies. */
  mixed: boolean
  /** Reports of calls that the launcher saw the gateway answer. */
  reported: string
  /** Reports of other calls. */
  own_reports: string
  reported_at: Date | null
}

/** What a run adds to the sums; only the function `runs_count` of the database writes it and the tables of sums. */
export interface CountedRow {
  run_id: string
  minute: Date
  namespace_uid: string
  namespace: string
  agent_uid: string
  agent: string
  state: RunState
  fail_reason: string
  trigger_kind: string
  model: string
  /** Empty without a priced call, `*` for several currencies. */
  currency: string
  subject: string
  input_tokens: string
  output_tokens: string
  cached_tokens: string
  reasoning_tokens: string
  micros: string
  /** Buckets of times. */
  duration: number | null
  queue: number | null
  first_token: number | null
}

/** Sums of the runs that were created in a minute, five minutes, an hour or a day. Sums are whole numbers as strings. */
export interface SumsRow extends Omit<
  CountedRow,
  'run_id' | 'minute' | 'subject' | 'duration' | 'queue' | 'first_token'
> {
  /** Seconds. */
  width: number
  start: Date
  runs: string
  duration: string
  queue: string
  first_token: string
}

/** A conversation of an agent with a subject; only the projection writes it. */
export interface ConversationRow {
  subject: string
  agent_uid: string
  conversation_id: string
  namespace: string
  namespace_uid: string
  agent_name: string
  /** Creation of the first turn, which may be removed by now. */
  started_at: Date
  /** Creation of the newest turn. */
  last_at: Date
  last_run_id: string
}

/** Tables of the plugin, and the core table that its reads join. */
export type RunsTables = {
  runs_runs: RunRow
  runs_labels: LabelRow
  runs_costs: RunCostRow
  runs_conversations: ConversationRow
  runs_content: ContentRow
  runs_lease: LeaseRow
  runs_journal: JournalRow
  runs_partial: PartialRow
  runs_storage: StorageRow
  runs_launcher_keys: LauncherKeyRow
  runs_prepared: PreparedRow
  runs_rated: RatedRow
  runs_counted: CountedRow
  runs_sums: SumsRow
  runs_subject_sums: SumsRow & { subject: string }
  object_index: { uid: string; kind: string; namespace: string; name: string; deleted_at: Date | null }
}

/** A transaction of the store, with the tables of the plugin. */
export type RunsTx = Transaction<RunsTables>

/** A run as selected. */
export type SelectedRun = Selectable<RunRow>

/** A journal entry as inserted. */
export type NewJournal = Insertable<JournalRow>
