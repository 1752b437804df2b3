/** Bounds in seconds of histograms of requests and queries. */
export const quickSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Bounds in seconds of histograms of background work. */
export const slowSeconds = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300]
