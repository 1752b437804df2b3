import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { useAddress } from '#ui/contract/search.ts'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { EmptyState } from '#ui/parts/state/empty-state.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { runColumns } from '../list/run-columns.tsx'
import type { RunOfList } from '../list/run-columns.tsx'
import { compareColumns } from './compare-columns.tsx'
import type { ComparedRow, ComparedRuns } from './compare-columns.tsx'
import styles from './compare-page.module.css'
import { RunSides } from './run-sides.tsx'
import { compareText as text } from './text.ts'

const crumbs = [{ label: text.runs, to: '/runs' }]

/** What differed between two runs; with one of them, the choice of the other. */
export function ComparePage() {
  const [{ a, b }] = useAddress()
  return (
    <>
      <PageBar title={text.title} crumbs={crumbs} />
      {a !== undefined && b !== undefined ? <ComparedSteps a={a} b={b} /> : undefined}
      {a !== undefined && b === undefined ? <OtherRuns a={a} /> : undefined}
      {a === undefined ? <NoRuns title={text.none} words={text.noneDetail} /> : undefined}
    </>
  )
}

function ComparedSteps({ a, b }: { readonly a: string; readonly b: string }) {
  const { data, error, refetch } = useQuery(apiQuery<ComparedRuns>(['runs', 'compare'], { a, b }))
  const navigate = useNavigate()
  if (error instanceof ApiProblem && error.facts.status === 404)
    return <NoRuns title={text.missing} words={text.missingDetail} />
  const retry = (): void => {
    refetch().catch(() => undefined)
  }
  if (data === undefined) return error === null ? undefined : <ProblemState error={error} onRetry={retry} />
  const { firstDifference, steps, truncated } = data
  const rows: readonly ComparedRow[] = steps.map((pair, index) => ({
    ...pair,
    index,
    isFirst: index === firstDifference,
  }))
  const open = ({ a: left, b: right }: ComparedRow): void => {
    const [run, step] = left === null ? [data.b, right] : [data.a, left]
    navigate({ to: `/runs/${encodeURIComponent(run.id)}`, search: { span: step?.spanId } as never }).catch(
      () => undefined,
    )
  }
  return (
    <>
      <RunSides a={data.a} b={data.b} />
      <div className={styles['summary']}>
        <Notice tone={firstDifference === null ? 'ok' : 'info'}>{summaryOf(rows[firstDifference ?? -1])}</Notice>
        {truncated ? <Notice tone="warn">{text.truncated}</Notice> : undefined}
      </div>
      <DataTable
        label={text.steps}
        columns={compareColumns}
        rows={rows}
        keyOf={({ index }) => String(index)}
        onOpen={open}
        selected={firstDifference === null ? undefined : new Set([String(firstDifference)])}
        error={error}
        empty={<NoRuns title={text.same} words="" />}
      />
    </>
  )
}

function summaryOf(row: ComparedRow | undefined): string {
  if (row === undefined) return text.same
  const { a, b, differs } = row
  const what = b === null ? text.onlyA : a === null ? text.onlyB : text.differs(differs)
  return text.first(a?.name ?? b?.name ?? '', what)
}

/** Runs of the agent of a run, to choose from. */
function OtherRuns({ a }: { readonly a: string }) {
  const [, change] = useAddress()
  const run = useQuery(apiQuery<RunOfList>(['runs', a]))
  const agent = run.data?.agent ?? undefined
  const list = useQuery({
    ...apiQuery<{ readonly items: readonly RunOfList[] }>(['runs'], {
      namespace: agent?.namespace,
      agent: agent?.name,
    }),
    enabled: agent !== undefined,
  })
  const error = run.error ?? list.error
  if (run.error instanceof ApiProblem && run.error.facts.status === 404)
    return <NoRuns title={text.missing} words={text.missingDetail} />
  const others = run.data !== undefined && agent === undefined ? [] : list.data?.items.filter(({ id }) => id !== a)
  return (
    <>
      <p className={styles['choose']}>
        <b>{text.choose}</b> <span className="dim">{text.chooseDetail}</span>
      </p>
      <DataTable
        label={text.choose}
        columns={runColumns}
        rows={others}
        keyOf={({ id }) => id}
        error={error}
        onOpen={({ id }) => change({ b: id })}
        empty={<NoRuns title={text.noOthers} words={text.noOthersDetail} />}
      />
    </>
  )
}

function NoRuns({ title, words }: { readonly title: string; readonly words: string }) {
  return (
    <EmptyState
      icon="scale"
      title={title}
      action={
        <Link to="/runs" className="link">
          {text.showRuns}
        </Link>
      }
    >
      {words}
    </EmptyState>
  )
}
