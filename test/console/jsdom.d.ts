// What the tests of components use of it.
declare module 'jsdom' {
  export class JSDOM {
    readonly window: Readonly<Record<string, unknown>> & { readonly HTMLCanvasElement: { readonly prototype: object } }
    constructor(
      text: string,
      options: { readonly url?: string; readonly pretendToBeVisual?: boolean; readonly contentType?: string },
    )
  }
}
