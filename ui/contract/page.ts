import type { ComponentType } from 'react'

/** A page of the console at a path. Its code is loaded when the path is opened. */
export interface ConsoleRoute {
  /** Path in the console, such as `/feedback` or `/runs/$id`; of a public page, below `/shared`. */
  readonly path: string
  /** Shown without a session, and without the navigation. */
  readonly isPublic?: boolean
  load(): Promise<ComponentType>
}

/** The object of a page that has tabs of other plugins. */
export interface TabObject {
  readonly namespace?: string | undefined
  /** Of an agent. */
  readonly name?: string | undefined
  /** Of a run. */
  readonly id?: string | undefined
}

/** What the component of a tab is given. */
export interface ObjectTabProps {
  readonly object: TabObject
}

/** What the component of a dialog is given. */
export interface ObjectDialogProps extends ObjectTabProps {
  readonly onClose: () => void
}

/** The pages of an entry of the navigation. `GET /api/capabilities` reports title, section and whether the caller may see it. */
export interface ConsolePages {
  /** That of the page in the slot `console` of the plugin. */
  readonly id: string
  readonly routes: readonly ConsoleRoute[]
  /** The code of a page that its declaration makes a tab (`tabOf`); it is loaded when the tab is opened. */
  readonly loadTab?: () => Promise<ComponentType<ObjectTabProps>>
  /** In place of `loadTab`: a button of that page opens it as a dialog, with the title of the page as its words. */
  readonly loadDialog?: () => Promise<ComponentType<ObjectDialogProps>>
}

/** Declares the pages of an entry. */
export function defineConsolePages(entry: ConsolePages): ConsolePages {
  return entry
}
