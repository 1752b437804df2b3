import type { SelectedRun } from '../contract/tables.ts'

/** A row of the read model with defaults for tests. */
export function toRow(some: Partial<SelectedRun> = {}): SelectedRun {
  return {
    id: '01a203f9-9c7c-79a1-9d5f-66e7ff79849b',
    version: 1,
    namespace: 'default',
    namespace_uid: 'ns-uid',
    agent_name: 'robot',
    agent_uid: 'uid-1',
    agent_revision: null,
    executor: null,
    conversation_id: 'c',
    root_run_id: '01a203f9-9c7c-79a1-9d5f-66e7ff79849b',
    parent_run_id: null,
    trigger_kind: 'api',
    trigger_by: 'alice',
    subject: 'alice',
    decided_by: null,
    wait_reason: null,
    state: 'queued',
    pause_reason: null,
    fail_reason: null,
    started: false,
    segment: 0,
    open_interrupts: [],
    labels: {},
    trace_id: '1'.repeat(32),
    input_tokens: 0,
    output_tokens: 0,
    cached_tokens: 0,
    reasoning_tokens: 0,
    created_at: new Date('2026-11-22T10:00:00Z'),
    started_at: new Date('2026-11-22T10:00:00Z'),
    finished_at: null,
    ...some,
  }
}
