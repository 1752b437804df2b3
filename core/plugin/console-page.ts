/** A page of the console's navigation. */
export interface ConsolePage {
  /** Unique in the installation; of a third party `<plugin>` or `<plugin>.<page>`. */
  readonly id: string
  readonly title: string
  /** Heading under which the navigation lists the page, such as `Observe`; empty for a page that stands above the headings. */
  readonly section: string
  /** Path in the console; of a third party below `/x/<plugin>`. */
  readonly path: string
  /** Capability of `GET /api/capabilities` that shows or hides the page: a plugin, or a part of one. The page of a hidden one does not exist. */
  readonly capability: string
  /** JSON file of a third party's package that declares what the page shows (`DeclaredPage`). Without it, the console has a page of its own. */
  readonly entry?: URL
  /** The page is a tab on the page of an agent or of a run, and not in the navigation. */
  readonly tabOf?: TabbedPage
}

/** Pages that have tabs of other plugins. */
export type TabbedPage = 'agent' | 'run'

/** A page as `GET /api/capabilities` reports it. */
export interface ReportedPage extends Omit<ConsolePage, 'entry'> {
  /** Path of the declaration at the BFF, and the hash of its bytes. */
  readonly entry?: { readonly path: string; readonly integrity: string }
}
