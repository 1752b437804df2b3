/** The words of the page of a shared run, in English. */
export const sharedText = {
  title: (agent: string) => `${agent}, shared run, mesh`,
  run: 'Run',
  missingTitle: 'This link shows nothing',
  missing: 'It may be mistyped, it may have ended, or its owner may have revoked it.',
  shared: 'Shared',
  ends: 'Ends',
  duration: 'Duration',
  tokens: 'Tokens',
  started: 'Started',
  revision: 'Revision',
  truncated: 'The journal of the run was too long; its beginning is shown.',
  redacted: 'Secrets were removed from all texts, and what the owner and the trace policy of the agent hide.',
  reasons: {
    request: 'The owner shares no content: names, times, states and counts only.',
    trace_policy: 'The trace policy of the agent hides the content.',
    trace_policy_unreadable: 'The content is hidden, since the trace policy of the agent cannot be read.',
    trace_policy_invalid: 'The content is hidden, since the trace policy of the agent is not valid.',
  } as Readonly<Record<string, string>>,
} as const
