import { JSDOM } from 'jsdom'

/** An element of a parsed document. */
export interface XmlElement {
  readonly tagName: string
  readonly parentElement: XmlElement | null
  getAttribute(name: string): string | null
  querySelectorAll(selector: string): Iterable<XmlElement>
}

/** Parses XML. Throws if it is not well-formed. */
export function parseXml(text: string): XmlElement {
  const { window } = new JSDOM(text, { contentType: 'text/xml' })
  return (window['document'] as { readonly documentElement: XmlElement }).documentElement
}

/** Attributes of each element that matches, in the order of the document. */
export function attributesOf(xml: XmlElement, selector: string, name: string): readonly (string | null)[] {
  return [...xml.querySelectorAll(selector)].map((one) => one.getAttribute(name))
}
