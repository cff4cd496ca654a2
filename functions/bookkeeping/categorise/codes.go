package categorise

import (
	"strconv"

	"governance.internal/functions/bookkeeping/chart"
)

// codeRange maps merchant category codes (ISO 18245) to a category.
type codeRange struct {
	from, to int
	category chart.Category
}

var codeRanges = []codeRange{
	{780, 780, chart.Repairs}, {1520, 1799, chart.Repairs}, {2741, 2741, chart.Office},
	{3000, 3999, chart.Travel}, {4011, 4011, chart.Shipping}, {4111, 4112, chart.Travel}, {4121, 4121, chart.Travel}, {4131, 4131, chart.Travel},
	{4214, 4215, chart.Shipping}, {4225, 4225, chart.RentPremises}, {4411, 4411, chart.Travel}, {4511, 4511, chart.Travel}, {4582, 4582, chart.Travel},
	{4722, 4723, chart.Travel}, {4784, 4784, chart.Car}, {4789, 4789, chart.Travel}, {4812, 4816, chart.Telephone}, {4899, 4899, chart.Telephone},
	{4900, 4900, chart.Utilities}, {5021, 5021, chart.Equipment}, {5044, 5046, chart.Equipment}, {5085, 5085, chart.Supplies}, {5111, 5111, chart.Office},
	{5462, 5462, chart.Meals}, {5511, 5511, chart.Car}, {5531, 5533, chart.Car}, {5541, 5542, chart.Car}, {5552, 5552, chart.Car}, {5561, 5599, chart.Car},
	{5611, 5699, chart.OwnerOut}, {5712, 5712, chart.Equipment}, {5732, 5732, chart.Equipment}, {5734, 5734, chart.Software}, {5811, 5814, chart.Meals},
	{5815, 5818, chart.Software}, {5912, 5912, chart.OwnerOut}, {5921, 5921, chart.OwnerOut}, {5942, 5942, chart.Education}, {5943, 5943, chart.Office},
	{5945, 5947, chart.OwnerOut}, {5968, 5968, chart.Software}, {5977, 5977, chart.OwnerOut}, {5983, 5983, chart.Utilities}, {5992, 5992, chart.OtherExpense},
	{5995, 5995, chart.OwnerOut}, {6010, 6011, chart.OwnerOut}, {6300, 6399, chart.Insurance}, {6513, 6513, chart.RentPremises}, {7011, 7012, chart.Travel},
	{7032, 7033, chart.Travel}, {7210, 7217, chart.OtherExpense}, {7230, 7230, chart.OwnerOut}, {7276, 7276, chart.Legal}, {7297, 7298, chart.OwnerOut},
	{7311, 7311, chart.Advertising}, {7333, 7333, chart.Advertising}, {7338, 7338, chart.Office}, {7342, 7349, chart.Repairs}, {7361, 7361, chart.ContractLabor},
	{7372, 7372, chart.Software}, {7375, 7375, chart.Software}, {7379, 7379, chart.Repairs}, {7392, 7392, chart.Legal}, {7393, 7393, chart.OtherExpense},
	{7394, 7394, chart.RentEquipment}, {7512, 7519, chart.RentEquipment}, {7523, 7523, chart.Car}, {7531, 7549, chart.Car}, {7622, 7699, chart.Repairs},
	{7829, 7841, chart.Entertainment}, {7911, 7996, chart.Entertainment}, {7997, 7997, chart.OwnerOut}, {7998, 7999, chart.Entertainment}, {8011, 8099, chart.OwnerOut},
	{8111, 8111, chart.Legal}, {8211, 8299, chart.Education}, {8351, 8351, chart.OwnerOut}, {8398, 8398, chart.Charity}, {8641, 8641, chart.Dues},
	{8661, 8661, chart.Charity}, {8675, 8675, chart.Dues}, {8699, 8699, chart.Dues}, {8911, 8911, chart.Legal}, {8931, 8931, chart.Legal}, {8999, 8999, chart.Legal},
	{9211, 9222, chart.Penalties}, {9311, 9311, chart.Taxes}, {9399, 9399, chart.Taxes}, {9402, 9402, chart.Shipping},
}

// generalMerchants are codes of shops that sell everything.
var generalMerchants = map[string]bool{
	"5300": true, "5310": true, "5311": true, "5331": true, "5399": true, "5411": true, "5499": true, "5999": true, "5964": true, "5969": true, "6012": true, "6051": true, "6538": true, "4829": true,
}

func categoryOfCode(code string) (chart.Category, bool) {
	n, err := strconv.Atoi(code)
	if err != nil {
		return "", false
	}
	for _, r := range codeRanges {
		if n >= r.from && n <= r.to {
			return r.category, true
		}
	}
	return "", false
}

// byCode reads the code of a card network.
func byCode(_ *Clerk, e *evidence) (Verdict, bool) {
	category, ok := categoryOfCode(e.row.MCC)
	if !ok || e.in && !e.refund && !e.row.Card {
		return Verdict{}, false
	}
	return Verdict{category, 0.8, "the merchant category code " + e.row.MCC, ""}, true
}
