import assert from 'node:assert/strict'
import test, { afterEach } from 'node:test'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { SearchField } from '#ui/parts/control/search-field.tsx'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { startKeys } from '#ui/parts/keys/key-registry.ts'
import { Toasts } from '#ui/parts/overlay/toasts.tsx'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { ErrorPanel } from '#ui/parts/state/error-panel.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'

afterEach(cleanup)

test('arrows choose in a group, over its ends', () => {
  const chosen: string[] = []
  const options = ['a', 'b', 'c'].map((value) => ({ value, label: value }))
  render(<Segmented label="View" options={options} value="c" onChange={(value) => chosen.push(value)} />)
  for (const key of ['ArrowRight', 'ArrowLeft', 'x'])
    fireEvent.keyDown(screen.getByRole('radio', { name: 'c' }), { key })
  assert.deepEqual(chosen, ['a', 'b'])
})

test('a button that is off or busy does nothing, and keeps its place in the order of the focus', () => {
  let pressed = 0
  const press = () => (pressed += 1)
  render(
    <>
      <Button whyNot="The run has ended" onClick={press}>
        Cancel
      </Button>
      <Button isBusy isSubmit onClick={press}>
        Send
      </Button>
    </>,
  )
  for (const button of screen.getAllByRole<HTMLButtonElement>('button')) {
    fireEvent.click(button)
    assert.deepEqual([button.disabled, button.type, button.getAttribute('aria-disabled')], [false, 'button', 'true'])
  }
  assert.equal(pressed, 0)
})

test('an error has its facts; Try again waits as long as the server asks', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let tried = 0
  const facts = {
    status: 429,
    title: 'Too many requests',
    detail: 'Wait.',
    code: 'too_many_requests',
    traceId: 'abcdef0123456789',
  }
  render(<ErrorPanel error={new ApiProblem({ ...facts, retryAfter: 2 })} onRetry={() => (tried += 1)} />)
  fireEvent.click(screen.getByRole('button', { name: 'Try again in 2 s' }))
  assert.equal(tried, 0)
  assert.match(screen.getByRole('alert').textContent, /Too many requests.*Wait\..*too_many_requests.*abcdef01/s)
  for (const _ of [1, 2]) act(() => t.mock.timers.tick(1000))
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  assert.equal(tried, 1)
})

test('a failure shows what its status means: the right that is missing, or that it is not enabled', () => {
  const right = { verb: 'list', resource: 'tenants', group: 'mesh.dev', namespace: 'demo' }
  const { rerender } = render(<ProblemState error={new ApiProblem({ status: 403, title: 'x', detail: 'y', right })} />)
  assert.match(
    document.body.textContent,
    /You may not list tenants.*verb list on tenants\.mesh\.dev in namespace demo/s,
  )
  rerender(<ProblemState error={new ApiProblem({ status: 501, title: 'x', detail: 'y', setting: 'DATABASE_URL=' })} />)
  assert.match(document.body.textContent, /not configured.*DATABASE_URL=/s)
  rerender(<ProblemState error={new ApiProblem({ status: 500, title: 'Broken', detail: 'y' })} />)
  assert.ok(screen.getByRole('alert'))
})

test('a slash focuses the filter; Esc empties it', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const values: string[] = []
  render(<SearchField label="Agent" value="refund" onChange={(value) => values.push(value)} />)
  t.after(startKeys())
  fireEvent.keyDown(document.body, { key: '/' })
  const field = screen.getByRole('searchbox', { name: 'Agent' })
  assert.equal(document.activeElement, field)
  fireEvent.keyDown(field, { key: 'Escape' })
  act(() => t.mock.timers.tick(300))
  assert.deepEqual(values, [''])
})

test('a result leaves after five seconds, a failure stays until it is closed', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  render(<Toasts />)
  act(() => showToast({ kind: 'done', message: 'revoked' }))
  act(() => showToast({ kind: 'failed', message: 'not revoked' }))
  act(() => t.mock.timers.tick(5001))
  assert.equal(screen.queryByText('revoked'), null)
  fireEvent.click(screen.getByRole('button', { name: 'Close message' }))
  assert.equal(screen.queryByText('not revoked'), null)
})
