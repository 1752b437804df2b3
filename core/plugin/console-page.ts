/** A page of the console's navigation. */
export interface ConsolePage {
  /** Unique in the installation; of a third party `<plugin>` or `<plugin>.<page>`. */
  readonly id: string
  readonly title: string
  /** Heading under which the navigation lists the page, such as `Observe`. */
  readonly section: string
  /** Path in the console; of a third party below `/x/<plugin>`. */
  readonly path: string
  /** Capability of `GET /api/capabilities` that shows or hides the page: a plugin, or a part of one that is never hidden. */
  readonly capability: string
}
