/** The words of the page of a trace, in English. */
export const traceText = {
  title: 'Trace',
  traces: 'Traces',
  missing: 'This trace does not exist',
  missingDetail: 'Its id may be mistyped, it may have been removed by the retention, or you may not see it.',
  showTraces: 'Show all traces',
  withoutRun: 'No run belongs to this trace; these are its spans as they were sent.',
  truncated: 'More spans are stored than one response holds.',
  noSpans: 'No spans',
  noSpansDetail: 'Its spans may have been removed by the retention.',
  spans: 'Spans',
  agents: 'Agents',
  trace: 'Trace',
  backend: 'Open in the OTLP backend',
} as const
