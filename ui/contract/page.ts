import type { ComponentType } from 'react'

/** A page of the console at a path. Its code is loaded when the path is opened. */
export interface ConsoleRoute {
  /** Path in the console, such as `/feedback` or `/runs/$id`; of a public page, below `/shared`. */
  readonly path: string
  /** Shown without a session, and without the navigation. */
  readonly isPublic?: boolean
  load(): Promise<ComponentType>
}

/** The pages of an entry of the navigation. `GET /api/capabilities` reports title, section and whether the caller may see it. */
export interface ConsolePages {
  /** That of the page in the slot `console` of the plugin. */
  readonly id: string
  readonly routes: readonly ConsoleRoute[]
}

/** Declares the pages of an entry. */
export function defineConsolePages(entry: ConsolePages): ConsolePages {
  return entry
}
