package main

// edgePrefixLists are the ids of the prefix list that AWS keeps of CloudFront's
// addresses towards origins, com.amazonaws.global.cloudfront.origin-facing, by region.
// `aws ec2 describe-managed-prefix-lists` gives that of any other.
var edgePrefixLists = map[string]string{
	"us-east-1":      "pl-3b927c52",
	"us-east-2":      "pl-b6a144df",
	"us-west-1":      "pl-4ea04527",
	"us-west-2":      "pl-82a045eb",
	"eu-west-1":      "pl-4fa04526",
	"eu-west-2":      "pl-93a247fa",
	"eu-central-1":   "pl-a3a144ca",
	"ap-southeast-1": "pl-31a34658",
	"ap-southeast-2": "pl-b8a742d1",
	"ap-northeast-1": "pl-58a04531",
}

// goodZones are two zones, by id, of the regions that also have zones without Fargate on
// Arm or without VPC origins of CloudFront (use1-az3, usw1-az2, apne1-az3, cac1-az4).
// All zones of the other regions have both.
var goodZones = map[string]string{
	"us-east-1":      "use1-az4,use1-az6",
	"us-west-1":      "usw1-az1,usw1-az3",
	"ap-northeast-1": "apne1-az1,apne1-az4",
	"ca-central-1":   "cac1-az1,cac1-az2",
}
