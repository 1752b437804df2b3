import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { requestApi, toApiUrl } from '#ui/api/request-api.ts'
import type { ObjectDialog } from '#ui/kinds/object-tabs/object-tabs.tsx'
import { toCommand, toCurl } from '#ui/parts/content/shell-words.ts'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import type { PageAction } from '#ui/parts/page/page-actions.tsx'
import { isOpenRun } from './run-state.ts'
import type { RunOfPage } from './run-state.ts'
import { sendRun } from '../send/send-run.ts'
import { runText as text } from './text.ts'

const { actions: words } = text

function failed(error: Error): void {
  showToast({ kind: 'failed', message: error.message })
}

/** What can be done with a run. */
export function useRunActions(
  run: RunOfPage | undefined,
  { dialogs, onOpen }: { readonly dialogs: readonly ObjectDialog[]; readonly onOpen: (dialog: string) => void },
): readonly PageAction[] {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const go = (to: string, search: object = {}): void => {
    navigate({ to, search: search as never }).catch(() => undefined)
  }
  const again = useMutation({
    mutationFn: async (id: string) => sendRun([id, 'retry']),
    onSuccess: (made) => (made === undefined ? undefined : go(`/runs/${encodeURIComponent(made.id)}`)),
    onError: failed,
  })
  const cancel = useMutation({
    mutationFn: async (id: string) => sendRun([id, 'cancel']),
    onSuccess: async (_, id) => queries.invalidateQueries({ queryKey: ['runs', id] }),
    onError: failed,
  })
  if (run === undefined) return []
  const { id, agent } = run
  const noAgent = agent === null ? words.platform : undefined
  const path = ['runs', id]
  return [
    {
      text: words.again,
      icon: 'refresh',
      rank: 'secondary',
      whyNot: noAgent,
      onPick: () => (again.isPending ? undefined : again.mutate(id)),
    },
    { text: words.share, icon: 'share', rank: 'secondary', onPick: () => onOpen('share') },
    ...(agent === null
      ? []
      : dialogs.map(
          (one) => ({ text: one.title, icon: 'data', rank: 'secondary', onPick: () => onOpen(one.id) }) as const,
        )),
    ...(isOpenRun(run)
      ? [{ text: words.cancel, icon: 'barred', rank: 'secondary', onPick: () => cancel.mutate(id) } as const]
      : []),
    { text: words.edited, icon: 'edit', rank: 'menu', whyNot: noAgent, onPick: () => onOpen('retry') },
    { text: words.compare, icon: 'scale', rank: 'menu', onPick: () => go('/runs/compare', { a: id }) },
    { text: words.fixture, icon: 'data', rank: 'menu', onPick: () => save(id).catch(failed) },
    {
      text: words.curl,
      icon: 'copy',
      rank: 'menu',
      onPick: () => copy(toCurl({ method: 'GET', path: toApiUrl(path) }, location.origin)),
    },
    { text: words.meshctl, icon: 'copy', rank: 'menu', onPick: () => copy(toCommand(['meshctl', 'runs', 'get', id])) },
  ]
}

/** Saves the recording of a run as a file. */
async function save(id: string): Promise<void> {
  const response = await requestApi({ path: ['runs', id, 'fixture'] })
  const url = URL.createObjectURL(await response.blob())
  const link = Object.assign(document.createElement('a'), { href: url, download: `run-${id}.json` })
  link.click()
  URL.revokeObjectURL(url)
}

function copy(command: string): void {
  const done = navigator.clipboard?.writeText(command) ?? Promise.reject(new Error(text.notCopied))
  done.then(() => showToast({ kind: 'done', message: text.copied })).catch(() => failed(new Error(text.notCopied)))
}
