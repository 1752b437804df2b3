import { ApiProblem } from '../../api/api-problem.ts'
import { Button } from '../control/button.tsx'
import type { PartStates } from '../part-states.ts'
import { DeniedState } from './denied-state.tsx'
import { EmptyState, NoMatch } from './empty-state.tsx'
import { ErrorPanel } from './error-panel.tsx'
import { FieldError } from './field-error.tsx'
import { NotEnabled } from './not-enabled.tsx'
import { RefusedState } from './refused-state.tsx'
import { PageState, StateCode } from './page-state.tsx'
import { ProblemState } from './problem-state.tsx'

const nothing = (): void => undefined
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const failed = new ApiProblem({
  status: 500,
  title: 'The request failed',
  detail: 'An unexpected condition.',
  code: 'internal',
  traceId,
})
const limited = new ApiProblem({
  status: 429,
  title: 'Too many requests',
  detail: 'A caller may send 10 a second.',
  code: 'too_many_requests',
  retryAfter: 20,
})
const right = { verb: 'list', resource: 'tenants', group: 'mesh.dev' }

/** States of the parts of this folder. */
export const stateStates: readonly PartStates[] = [
  {
    part: 'EmptyState',
    states: [
      {
        name: 'first use',
        show: () => (
          <EmptyState icon="agent" title="No agents yet" action={<Button kind="primary">New agent</Button>}>
            An agent answers calls with a model and tools.
          </EmptyState>
        ),
      },
    ],
  },
  { part: 'NoMatch', states: [{ name: 'filtered', show: () => <NoMatch onClear={nothing} /> }] },
  {
    part: 'DeniedState',
    states: [
      { name: 'list', show: () => <DeniedState right={right} /> },
      {
        name: 'action in a namespace',
        show: () => (
          <DeniedState
            right={{ verb: 'create', resource: 'agentdeployments', group: 'mesh.dev', namespace: 'support' }}
          />
        ),
      },
      { name: 'page', show: () => <DeniedState /> },
    ],
  },
  {
    part: 'NotEnabled',
    states: [
      { name: 'disabled', show: () => <NotEnabled reason="disabled" /> },
      { name: 'unconfigured', show: () => <NotEnabled reason="unconfigured" setting="DATABASE_URL=postgres://..." /> },
    ],
  },
  {
    part: 'RefusedState',
    states: [
      { name: 'denied', show: () => <RefusedState refusal={{ reason: 'denied', right }} /> },
      { name: 'unconfigured', show: () => <RefusedState refusal={{ reason: 'unconfigured', setting: 'a: true' }} /> },
    ],
  },
  {
    part: 'ErrorPanel',
    states: [
      { name: 'failed', show: () => <ErrorPanel error={failed} onRetry={nothing} /> },
      { name: 'with a countdown', show: () => <ErrorPanel error={limited} onRetry={nothing} /> },
      { name: 'a fault of the page', show: () => <ErrorPanel error={new Error('undefined is not a function')} /> },
    ],
  },
  {
    part: 'ProblemState',
    states: [
      {
        name: '403',
        show: () => <ProblemState error={new ApiProblem({ status: 403, title: 'Denied', detail: 'Denied.', right })} />,
      },
      {
        name: '501',
        show: () => (
          <ProblemState error={new ApiProblem({ status: 501, title: 'Not enabled', detail: 'No database.' })} />
        ),
      },
    ],
  },
  {
    part: 'FieldError',
    states: [
      { name: 'a field', show: () => <FieldError id="field-error">spec.replicas must be at most 50</FieldError> },
    ],
  },
  {
    part: 'PageState',
    states: [
      {
        name: 'with code',
        show: () => (
          <PageState icon="plug" title="A setting">
            <StateCode>memory: on</StateCode>
          </PageState>
        ),
      },
    ],
  },
  { part: 'StateCode', states: [{ name: 'long', show: () => <StateCode>{`value: ${'x'.repeat(300)}`}</StateCode> }] },
]
