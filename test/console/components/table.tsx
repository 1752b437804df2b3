import assert from 'node:assert/strict'
import test, { afterEach } from 'node:test'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { DataTable } from '#ui/parts/table/data-table.tsx'

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
