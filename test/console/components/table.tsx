import assert from 'node:assert/strict'
import test, { afterEach } from 'node:test'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { BulkBar } from '#ui/parts/table/bulk-bar.tsx'
import { extendTo, nothingSelected, toggleRow } from '#ui/parts/table/bulk-selection.ts'
import { Pager } from '#ui/parts/table/pager.tsx'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { useBulk } from '#ui/parts/table/use-bulk.ts'

afterEach(cleanup)

/** Shows a table, and what it called. */
function showTable(count: number) {
  const called: string[] = []
  let cells = 0
  const rows = Array.from({ length: count }, (_, index) => String(index))
  const cell = (id: string) => {
    cells += 1
    return <a href={`#${id}`}>{`row ${id}`}</a>
  }
  const columns = [
    { title: 'Name', cell },
    { title: 'Other', cell: (id: string) => `other ${id}` },
  ]
  render(
    <DataTable
      label="Rows"
      columns={columns}
      rows={rows}
      keyOf={(id) => id}
      empty="none"
      onOpen={(id) => called.push(`open ${id}`)}
      onSelect={(id) => called.push(`select ${id}`)}
    />,
  )
  return { called, cells: () => cells }
}

function rowOf(index: number): HTMLElement {
  return document.querySelector<HTMLElement>(`tr[data-index="${index}"]`) ?? assert.fail(`no row ${index}`)
}

test('a table has one tab stop; keys move, open and select', () => {
  const { called } = showTable(5)
  assert.equal(document.querySelectorAll('tr[tabindex="0"]').length, 1)
  rowOf(0).focus()
  for (const key of ['j', 'ArrowDown', 'k', 'Enter', ' ', 'End', 'Enter', 'Home'])
    fireEvent.keyDown(document.activeElement ?? rowOf(0), { key })
  assert.deepEqual(called, ['open 1', 'select 1', 'open 4'])
  assert.equal(document.activeElement, rowOf(0))
  assert.equal(document.querySelectorAll('tr[tabindex="0"]').length, 1)
})

test('a move renders two rows, not the table', () => {
  const { cells } = showTable(50)
  rowOf(0).focus()
  const before = cells()
  fireEvent.keyDown(rowOf(0), { key: 'j' })
  assert.equal(cells() - before, 2)
})

test('a press on a row opens it; one on a link in it is that of the link', () => {
  const { called } = showTable(3)
  fireEvent.click(screen.getByText('other 2'))
  fireEvent.click(screen.getByText('row 1'))
  assert.deepEqual(called, ['open 2'])
})

test('of 10,000 rows only those in view are in the document, and the count is said', () => {
  showTable(10_000)
  const shown = document.querySelectorAll('tr[data-index]').length
  assert.ok(shown > 20 && shown < 120, String(shown))
  assert.equal(document.querySelector('table')?.getAttribute('aria-rowcount'), '10001')
})

test('loading keeps the head; an error without rows stands in place of the table, one with rows above it', () => {
  const shared = { label: 'Rows', columns: [{ title: 'Name', cell: String }], keyOf: String, empty: 'none' }
  const { rerender } = render(<DataTable {...shared} rows={undefined} />)
  assert.equal(screen.getByRole('table').getAttribute('aria-busy'), 'true')
  assert.ok(screen.getByRole('columnheader', { name: 'Name' }))
  rerender(<DataTable {...shared} rows={undefined} error={new Error('away')} />)
  assert.equal(screen.queryByRole('table'), null)
  rerender(<DataTable {...shared} rows={[1]} error={new Error('away')} />)
  assert.ok(screen.getByRole('grid') && screen.getByText('away'))
  rerender(<DataTable {...shared} rows={[]} />)
  assert.ok(screen.getByText('none'))
})

const bulkColumns = [{ title: 'Name', cell: (id: string) => `row ${id}` }]

function BulkTable({ count }: { readonly count: number }) {
  const bulk = useBulk()
  const rows = Array.from({ length: count }, (_, index) => String(index))
  return (
    <>
      <DataTable label="Rows" columns={bulkColumns} rows={rows} keyOf={String} empty="none" bulk={bulk} />
      <BulkBar bulk={bulk}>
        <button type="button">{`act on ${[...bulk.selected].join(' ')}`}</button>
      </BulkBar>
    </>
  )
}

test('Space and a tick box select rows for an action, Shift a range; the bar says how many, and clears', () => {
  render(<BulkTable count={8} />)
  assert.equal(screen.queryByRole('group'), null)
  fireEvent.keyDown(rowOf(1), { key: ' ' })
  fireEvent.keyDown(rowOf(3), { key: ' ', shiftKey: true })
  assert.ok(screen.getByText('act on 1 2 3'))
  fireEvent.keyDown(rowOf(3), { key: 'ArrowDown', shiftKey: true })
  assert.ok(screen.getByText('act on 1 2 3 4'))
  fireEvent.click(rowOf(7).querySelector('input') ?? assert.fail('no box'))
  fireEvent.click(rowOf(2).querySelector('input') ?? assert.fail('no box'))
  assert.ok(screen.getByText('act on 1 3 4 7'))
  assert.equal(screen.getByRole('status').textContent, '4 selected')
  assert.equal(rowOf(7).getAttribute('aria-selected'), 'true')
  fireEvent.click(screen.getByText('Clear the selection'))
  assert.equal(screen.queryByRole('group'), null)
  assert.equal(document.querySelectorAll('[aria-selected="true"]').length, 0)
})

test('at most 50 rows are selected, those nearest to the first one', () => {
  render(<BulkTable count={100} />)
  fireEvent.keyDown(rowOf(10), { key: ' ' })
  fireEvent.keyDown(rowOf(99), { key: ' ', shiftKey: true })
  assert.equal(document.querySelectorAll('[aria-selected="true"]').length, 50)
  assert.equal(rowOf(59).getAttribute('aria-selected'), 'true')
  assert.equal(rowOf(60).getAttribute('aria-selected'), 'false')
  fireEvent.keyDown(rowOf(80), { key: ' ' })
  assert.equal(rowOf(80).getAttribute('aria-selected'), 'false')
  assert.ok(screen.getByText('No more than 50 at once'))
})

test('a selection from below to above, and one whose first row has left the list', () => {
  const keys = ['a', 'b', 'c', 'd']
  const one = toggleRow(nothingSelected, 'c')
  assert.deepEqual([...extendTo(one, 'a', keys).selected].toSorted(), ['a', 'b', 'c'])
  assert.deepEqual([...extendTo({ ...one, anchor: 'gone' }, 'd', keys).selected].toSorted(), ['c', 'd'])
  assert.deepEqual([...extendTo(one, 'gone', keys).selected], ['c'])
})

test('only pages of the newest first are newer and older', () => {
  const shown = (order?: 'other') => {
    render(<Pager note="" {...(order === undefined ? {} : { order })} onNewer={undefined} onOlder={() => undefined} />)
    const found = screen.getAllByRole('button').map((one) => `${one.textContent} ${one.ariaDescription ?? ''}`.trim())
    cleanup()
    return found
  }
  assert.deepEqual(shown(), ['Newer These are the newest', 'Older'])
  assert.deepEqual(shown('other'), ['Previous This is the first page', 'Next'])
})
