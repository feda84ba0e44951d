// What the live pictures use of Apache ECharts 6.1.0; `make live` builds echarts.min.js of it.
import { init, use } from "echarts/core";
import { SunburstChart, TreemapChart } from "echarts/charts";
import { TooltipComponent } from "echarts/components";
import { SVGRenderer } from "echarts/renderers";

use([TreemapChart, SunburstChart, TooltipComponent, SVGRenderer]);
globalThis.massChart = (element) => init(element, null, { renderer: "svg" });
