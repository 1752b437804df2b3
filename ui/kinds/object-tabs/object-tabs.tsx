import { useQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import type { ComponentType } from 'react'
import type { Static } from 'typebox'
import type { Capabilities, NavigationPage } from '../../../schemas/api/identity.ts'
import { capabilitiesQuery } from '../../api/capabilities.ts'
import type { ConsolePages, ObjectDialogProps, ObjectTabProps } from '../../contract/page.ts'

type Page = Static<typeof NavigationPage>

/** A tab that another plugin adds to the page of an agent or a run. */
export interface ObjectTab {
  /** Id of its page, which stands in the address. */
  readonly id: string
  readonly title: string
  readonly Panel: ComponentType<ObjectTabProps>
}

let entries: readonly ConsolePages[] = []

/** Names the pages of the plugins of this console, once, before the first page is shown. */
export function provideTabs(pages: readonly ConsolePages[]): void {
  entries = pages
}

/** The tabs that plugins add to a page, as far as the caller may use them. */
export function useObjectTabs(of: 'agent' | 'run'): readonly ObjectTab[] {
  const { data } = useQuery(capabilitiesQuery)
  return (data?.pages ?? []).flatMap((page) => {
    if (page.tabOf !== of || !isEnabled(page, data?.capabilities ?? [])) return []
    const Panel = panelOf(page)
    return Panel === undefined ? [] : [{ id: page.id, title: page.title, Panel }]
  })
}

/** A dialog that another plugin adds to the page of an agent or a run. */
export interface ObjectDialog {
  readonly id: string
  /** The words of its button. */
  readonly title: string
  readonly Dialog: ComponentType<ObjectDialogProps>
}

/** The dialogs that plugins add to a page, as far as the caller may use them. */
export function useObjectDialogs(of: 'agent' | 'run'): readonly ObjectDialog[] {
  const { data } = useQuery(capabilitiesQuery)
  return (data?.pages ?? []).flatMap((page) => {
    const load = entries.find(({ id }) => id === page.id)?.loadDialog
    if (page.tabOf !== of || load === undefined || !isEnabled(page, data?.capabilities ?? [])) return []
    const Dialog = dialogs.get(page.id) ?? lazy(async () => ({ default: await load() }))
    dialogs.set(page.id, Dialog)
    return [{ id: page.id, title: page.title, Dialog }]
  })
}

// A component has to stay the same, or its state is lost.
const dialogs = new Map<string, ComponentType<ObjectDialogProps>>()

function isEnabled({ capability }: Page, capabilities: Static<typeof Capabilities>['capabilities']): boolean {
  return capabilities.some(({ id, enabled }) => id === capability && enabled)
}

const panels = new Map<string, ComponentType<ObjectTabProps>>()

function panelOf(page: Page): ComponentType<ObjectTabProps> | undefined {
  const key = `${page.id} ${page.entry?.integrity ?? ''}`
  const known = panels.get(key)
  const loadTab = entries.find(({ id }) => id === page.id)?.loadTab
  if (known !== undefined || (loadTab === undefined && page.entry === undefined)) return known
  const made = lazy(async () => ({ default: loadTab === undefined ? await declaredPanel(page) : await loadTab() }))
  panels.set(key, made)
  return made
}

// No code of a third party runs in the console.
async function declaredPanel(page: Page): Promise<ComponentType<ObjectTabProps>> {
  const { DeclaredSource } = await import('../declared/declared-content.tsx')
  return function DeclaredTab({ object: { namespace, name, id } }) {
    return <DeclaredSource page={page} names={{ ns: namespace, name, id }} />
  }
}
