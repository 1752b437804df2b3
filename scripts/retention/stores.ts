/** Data that a part of the platform keeps, with its retention and quotas. Names are checked by the generator and by a test. */
export interface KeptData {
  readonly what: string
  /** Tables of PostgreSQL; empty for data in another store. */
  readonly tables: readonly string[]
  /** Retention: settings, and other events that remove the data. */
  readonly kept: string
  readonly keptBy: readonly string[]
  /** Settings of its quotas; empty if `bounded` describes the limit. */
  readonly quotas: readonly string[]
  readonly bounded?: string
  readonly metrics: readonly string[]
  /** Error codes above a quota. */
  readonly errors: readonly string[]
}

const withObject = 'as long as its object'

/** Everything that is stored. A table that is missing here fails a test. */
export const keptData: readonly KeptData[] = [
  {
    what: 'Runs with journal, input, output and checkpoints',
    tables: [
      'runs_runs',
      'runs_labels',
      'runs_costs',
      'runs_conversations',
      'runs_content',
      'runs_lease',
      'runs_journal',
      'runs_partial',
      'runs_storage',
      'runs_counted',
      'runs_sums',
      'runs_subject_sums',
    ],
    kept: 'after the end of a run, or while it is paused; until its namespace is deleted',
    keptBy: ['runs.retentionDays'],
    quotas: ['runs.storedBytesPerNamespace', 'runs.runJournalBytes', 'runs.runEntries', 'runs.runEntryBytes'],
    metrics: ['mesh_run_stored_bytes', 'mesh_run_refusals_total', 'mesh_runs_removed_total', 'mesh_run_faults_total'],
    errors: ['quota_exceeded'],
  },
  {
    what: 'Prepared runs and public keys of launchers',
    tables: ['runs_prepared', 'runs_launcher_keys'],
    kept: 'until they expire, or with the agent',
    keptBy: [],
    quotas: [],
    bounded: 'a row per queued schedule, and a few keys per agent',
    metrics: [],
    errors: [],
  },
  {
    what: 'Shares of runs with their snapshots',
    tables: ['sharing_shares', 'sharing_snapshots', 'sharing_usage'],
    kept: 'until `expiresIn` (at most 30 days), a revocation, or the removal of the run',
    keptBy: [],
    quotas: [
      'sharing.storedBytesPerNamespace',
      'sharing.sharesPerNamespace',
      'sharing.sharesPerRun',
      'sharing.snapshotBytes',
    ],
    metrics: ['mesh_sharing_stored_bytes', 'mesh_sharing_shares_total', 'mesh_sharing_removed_total'],
    errors: ['share_quota_exceeded', 'run_too_large'],
  },
  {
    what: 'Scores of runs',
    tables: ['feedback_scores', 'feedback_usage'],
    kept: 'with the run',
    keptBy: ['runs.retentionDays'],
    quotas: ['feedback.scoresPerRun', 'feedback.scoresPerNamespace'],
    metrics: ['mesh_feedback_scores_total', 'mesh_feedback_scores_removed_total'],
    errors: ['too_many_scores'],
  },
  {
    what: 'Spans of agents',
    tables: ['traces_chunks', 'traces_totals', 'traces_usage', 'traces_summaries'],
    kept: 'after they were stored; until the last run of the trace, the agent or the namespace is removed',
    keptBy: ['traces.retentionDays'],
    quotas: ['traces.bytesPerNamespace', 'traces.spansPerTrace'],
    bounded: 'further spans are dropped and counted, never refused',
    metrics: ['mesh_traces_spans_total', 'mesh_traces_chunks_removed_total'],
    errors: [],
  },
  {
    what: 'Recordings of runs (object store)',
    tables: ['recording_runs', 'recording_usage'],
    kept: 'after the start of the recording; until the run is removed',
    keptBy: ['recording.retentionDays'],
    quotas: ['recording.bytesPerNamespace', 'recording.bytesPerRun', 'recording.callsPerRun'],
    metrics: ['mesh_recording_parts_total', 'mesh_recording_bytes_total', 'mesh_recordings_removed_total'],
    errors: ['recording_quota_exceeded'],
  },
  {
    what: 'Conversations of agents (Valkey, Redis, or the state role)',
    tables: ['memory_erasures'],
    kept: 'after the last entry: `spec.memory.session.ttl`, 24h when absent; until the agent is deleted',
    keptBy: [],
    quotas: [
      'memory.conversationBytes',
      'memory.conversationEntries',
      'memory.agentSessionBytes',
      'memory.agentConversations',
      'memory.namespaceSessionBytes',
      'memory.namespaceConversations',
    ],
    metrics: ['mesh_memory_refusals_total'],
    errors: ['conversation_full', 'memory_quota_exceeded'],
  },
  {
    what: 'Long-term memory of agents',
    tables: ['memory_items', 'memory_usage'],
    kept: 'at most, or `spec.memory.longTerm.ttl`; until the agent is deleted',
    keptBy: ['memory.itemRetentionDays'],
    quotas: ['memory.agentItems', 'memory.agentItemBytes', 'memory.namespaceItems', 'memory.namespaceItemBytes'],
    metrics: ['mesh_memory_stored_bytes', 'mesh_memory_refusals_total', 'mesh_memory_items_removed_total'],
    errors: ['memory_quota_exceeded'],
  },
  {
    what: 'Documents of knowledge bases',
    tables: ['knowledge_bases', 'knowledge_documents', 'knowledge_chunks'],
    kept: 'until they are deleted, with the knowledge base or its namespace',
    keptBy: [],
    quotas: [
      'knowledge.documentsPerBase',
      'knowledge.chunksPerBase',
      'knowledge.chunksPerNamespace',
      'knowledge.maxDocumentBytes',
    ],
    bounded: 'an ingest above a quota ends with its problem',
    metrics: ['mesh_knowledge_ingests_total'],
    errors: [],
  },
  {
    what: 'Ingests of documents',
    tables: ['knowledge_ingests'],
    kept: 'after the end of the ingest',
    keptBy: ['knowledge.ingestRetentionDays'],
    quotas: ['knowledge.waitingBytesPerNamespace'],
    metrics: ['mesh_knowledge_ingests_total'],
    errors: ['ingest_queue_full'],
  },
  {
    what: 'Cost by day, and labels of agents',
    tables: ['cost_days', 'cost_persons', 'cost_runs', 'cost_agents'],
    kept: 'after the day; labels until the agent is deleted and has no cost',
    keptBy: ['cost.retentionDays'],
    quotas: [],
    bounded: 'a row per day, agent or person, model and price, and one per run',
    metrics: ['mesh_job_last_success_seconds'],
    errors: [],
  },
  {
    what: 'Holds and accounts of budgets',
    tables: ['budgets_holds', 'budgets_accounts', 'budgets_rates'],
    kept: 'after the end of a hold; accounts with their agent or tenant',
    keptBy: ['budgets.holdRetentionDays'],
    quotas: [],
    bounded: 'a row per model call, and a few per agent and tenant',
    metrics: ['mesh_budget_holds_total', 'mesh_budget_holds_expired_total'],
    errors: [],
  },
  {
    what: 'Quotas of tenants',
    tables: ['tenants_quotas', 'tenants_namespaces'],
    kept: withObject,
    keptBy: [],
    quotas: [],
    bounded: 'a few rows per Tenant',
    metrics: [],
    errors: [],
  },
  {
    what: 'Audit log',
    tables: ['audit_*'],
    kept: 'after the act; seals and tombstones, a row per day, stay',
    keptBy: ['audit.retentionDays'],
    quotas: [],
    bounded: 'a row per act; outcomes that wait are bounded by `audit.spoolMegabytes`',
    metrics: ['mesh_audit_pruned_rows_total', 'mesh_audit_prune_failures_total', 'mesh_audit_dropped_rows_total'],
    errors: [],
  },
  {
    what: 'Events, and how far consumers have read them',
    tables: [
      'events',
      'events_*',
      'event_keys',
      'event_ranges',
      'event_epoch',
      'streams',
      'inbox',
      'cursor',
      'dead_letter',
    ],
    kept: 'after the month that they belong to, once every consumer has handled them',
    keptBy: ['eventRetentionDays'],
    quotas: [],
    bounded: 'references only; what writes them is bounded above',
    metrics: ['mesh_outbox_lag_events', 'mesh_dead_letters', 'mesh_job_last_success_seconds'],
    errors: [],
  },
  {
    what: 'Objects that the manager has seen',
    tables: ['object_index', 'reported_objects', 'resume_versions', 'namespace_resume_versions'],
    kept: `${withObject}; of a deleted one as long as events`,
    keptBy: ['eventRetentionDays'],
    quotas: [],
    bounded: 'a row per object of the cluster',
    metrics: ['mesh_informer_synced'],
    errors: [],
  },
  {
    what: 'Queued tasks',
    tables: ['tasks', 'job_ticks'],
    kept: 'until they are done; dead ones as long as their type says',
    keptBy: [],
    quotas: [],
    bounded: 'what enqueues them is bounded above',
    metrics: ['mesh_tasks_waiting', 'mesh_tasks_dead'],
    errors: [],
  },
  {
    what: 'Ended sessions of browsers, and users who signed out everywhere',
    tables: ['session_ends', 'session_epochs'],
    kept: 'until the session would have ended by itself; users always',
    keptBy: ['sessions.absoluteHours'],
    quotas: [],
    bounded: 'a row per sign-out, and one per user; the sessions themselves are in cookies only',
    metrics: [],
    errors: [],
  },
  {
    what: 'Answers of requests with an `Idempotency-Key`',
    tables: ['idempotency'],
    kept: '24 hours',
    keptBy: [],
    quotas: [],
    bounded: 'an answer per request of a caller (`limits.perCallerPerMinute`)',
    metrics: [],
    errors: [],
  },
  {
    what: 'Versions, leaders and other bookkeeping',
    tables: ['mesh_migrations', 'projection_versions', 'leader'],
    kept: 'always',
    keptBy: [],
    quotas: [],
    bounded: 'a row per migration, projection and job',
    metrics: [],
    errors: [],
  },
]

/** The data to which a table belongs. A name with `*` is a prefix. */
export function dataOf(table: string): readonly KeptData[] {
  return keptData.filter(({ tables }) =>
    tables.some((name) => (name.endsWith('*') ? table.startsWith(name.slice(0, -1)) : name === table)),
  )
}
