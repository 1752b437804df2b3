const MOST_VIEWS = 1_000_000

/** The share that a form asks for; undefined if its number of views is not a number. */
export function readShareForm(form: FormData): Readonly<Record<string, unknown>> | undefined {
  const views = String(form.get('maxViews') ?? '').trim()
  const maxViews = Number(views)
  if (views !== '' && (!/^\d{1,7}$/.test(views) || maxViews < 1 || maxViews > MOST_VIEWS)) return undefined
  const redact = form.getAll('redact').map(String)
  return {
    expiresIn: String(form.get('expiresIn') ?? '168h'),
    ...(views === '' ? {} : { maxViews }),
    redaction: {
      content: form.get('content') === 'none' ? 'none' : 'full',
      ...(redact.length === 0 ? {} : { redact }),
    },
  }
}
