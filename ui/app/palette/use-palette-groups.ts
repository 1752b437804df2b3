import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { Run } from '../../../schemas/api/runs.ts'
import { apiQuery } from '../../api/queries.ts'
import { openOverlay } from '../../parts/page/shell-store.ts'
import { text } from '../../text/en.ts'
import type { NavigationSection } from '../navigation/navigation.ts'
import { pageIcon } from '../navigation/page-icons.ts'
import { chooseScheme } from '../../parts/preference/theme.ts'
import type { PaletteGroup, PaletteItem } from './palette-groups.ts'
import { useSettled } from './use-settled.ts'

interface ListedAgent {
  readonly metadata: { readonly namespace?: string; readonly name?: string }
  readonly status?: { readonly phase?: string }
}

interface Listed<Item> {
  readonly items: readonly Item[]
}

/** What the palette searches in: pages, actions, and the agents whose names begin with the first word, and the latest runs. */
export function usePaletteGroups(
  sections: readonly NavigationSection[],
  typed: string,
): readonly [readonly PaletteGroup[], boolean] {
  const pages = sections.flatMap((section) => section.pages.map(({ page }) => ({ ...page, section: section.title })))
  const has = (id: string): boolean => pages.some((page) => page.id === id)
  const scope = { scope: 'permitted' }
  const q = useSettled(typed.trim().split(/\s+/)[0] ?? '')
  const agents = useQuery({
    ...apiQuery<Listed<ListedAgent>>(['agents'], { ...scope, limit: 50, q: q === '' ? undefined : q }),
    enabled: has('agents'),
    placeholderData: keepPreviousData,
  })
  const runs = useQuery({
    ...apiQuery<Listed<Static<typeof Run>>>(['runs'], { ...scope, limit: 50 }),
    enabled: has('runs'),
  })
  const toPage = ({ id, title, section, path }: (typeof pages)[number]): PaletteItem => ({
    id: path,
    title,
    note: section,
    icon: pageIcon(id),
    to: path,
  })
  const groups = [
    { title: text.palette.agents, items: (agents.data?.items ?? []).map(toAgent) },
    { title: text.palette.runs, items: (runs.data?.items ?? []).map(toRun) },
    { title: text.palette.pages, items: pages.map(toPage) },
    { title: text.palette.actions, items: actions },
  ]
  return [groups, agents.isFetching || runs.isFetching]
}

function toAgent({ metadata: { namespace = '', name = '' }, status }: ListedAgent): PaletteItem {
  const to = `/agents/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`
  return { id: to, title: name, note: namespace, icon: 'agent', to, ...(status?.phase ? { state: status.phase } : {}) }
}

function toRun({ id, agent, state }: Static<typeof Run>): PaletteItem {
  const to = `/runs/${encodeURIComponent(id)}`
  return { id: to, title: agent?.name ?? id, note: id, icon: 'activity', to, state }
}

const actions: readonly PaletteItem[] = [
  {
    id: 'light',
    title: `${text.person.theme}: ${text.person.light}`,
    note: '',
    icon: 'sun',
    run: () => chooseScheme('light'),
  },
  {
    id: 'dark',
    title: `${text.person.theme}: ${text.person.dark}`,
    note: '',
    icon: 'moon',
    run: () => chooseScheme('dark'),
  },
  {
    id: 'system',
    title: `${text.person.theme}: ${text.person.system}`,
    note: '',
    icon: 'desktop',
    run: () => chooseScheme('system'),
  },
  { id: 'keys', title: text.person.keys, note: '', icon: 'keyboard', run: () => openOverlay('keys') },
]
