import type { PartStates } from '../part-states.ts'
import { ConditionTimeline } from './condition-timeline.tsx'
import type { ShownCondition } from './condition-timeline.tsx'
import { LiveBadge } from './live-badge.tsx'
import { knownStates } from './state-looks.ts'
import { StatusBadge, Tag } from './status-badge.tsx'
import { StepList } from './step-list.tsx'

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString()

const conditions: readonly ShownCondition[] = [
  {
    type: 'Ready',
    status: 'True',
    reason: 'MinimumReplicasAvailable',
    message: '2 of 2 replicas are ready',
    lastTransitionTime: daysAgo(3),
  },
  {
    type: 'Accepted',
    status: 'False',
    reason: 'Invalid',
    message: 'spec.model.route names no ModelRoute',
    lastTransitionTime: daysAgo(0.1),
  },
  {
    type: 'GatePassed',
    status: 'Unknown',
    reason: 'Pending',
    message: 'The evaluation has not ended',
    lastTransitionTime: daysAgo(0.01),
  },
  { type: 'Stalled', status: 'False', reason: 'Progressing', message: '', lastTransitionTime: daysAgo(30) },
]

/** States of the parts of this folder. */
export const statusStates: readonly PartStates[] = [
  {
    part: 'StatusBadge',
    states: [
      { name: 'all', show: () => knownStates.map((state) => <StatusBadge key={state} state={state} />) },
      { name: 'plain', show: () => knownStates.map((state) => <StatusBadge key={state} state={state} isPlain />) },
      { name: 'not known, as it came', show: () => <StatusBadge state="Hibernating" /> },
      { name: 'long', show: () => <StatusBadge state={'x'.repeat(200)} /> },
    ],
  },
  {
    part: 'StepList',
    states: [
      {
        name: 'each state',
        show: () => (
          <StepList
            label="Steps"
            steps={(['done', 'running', 'waiting', 'failed', 'skipped'] as const).map((state) => ({
              name: `Step ${state}`,
              state,
              note: state === 'done' ? '84 ms' : undefined,
            }))}
          />
        ),
      },
    ],
  },
  {
    part: 'Tag',
    states: [
      {
        name: 'tones',
        show: () =>
          (['ok', 'warn', 'bad', 'info', 'wait', 'mute'] as const).map((tone) => (
            <Tag key={tone} tone={tone}>
              {tone}
            </Tag>
          )),
      },
      { name: 'with icon', show: () => <Tag icon="lock">private</Tag> },
    ],
  },
  {
    part: 'LiveBadge',
    states: [
      { name: 'live', show: () => <LiveBadge state={{ kind: 'live' }} /> },
      { name: 'reconnecting', show: () => <LiveBadge state={{ kind: 'reconnecting' }} /> },
      { name: 'polling', show: () => <LiveBadge state={{ kind: 'polling', seconds: 10 }} /> },
      { name: 'paused', show: () => <LiveBadge state={{ kind: 'paused' }} /> },
      { name: 'gap', show: () => <LiveBadge state={{ kind: 'gap', missed: 14 }} /> },
      { name: 'gap of unknown size', show: () => <LiveBadge state={{ kind: 'gap', missed: undefined }} /> },
    ],
  },
  {
    part: 'ConditionTimeline',
    states: [
      {
        name: 'true, false and unknown',
        show: () => <ConditionTimeline conditions={conditions} negative={['Stalled']} />,
      },
      {
        name: 'changed',
        show: () => (
          <ConditionTimeline
            conditions={conditions.slice(0, 1)}
            revisions={[
              { revision: 'r12', from: daysAgo(20), isRolledBack: false },
              { revision: 'r13', from: daysAgo(6), isRolledBack: true },
              { revision: 'r14', from: daysAgo(4), isRolledBack: false },
            ]}
          />
        ),
      },
    ],
  },
]
